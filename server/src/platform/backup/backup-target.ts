// Backup targets: manifests, a few small files and pieces, in a folder or below a prefix in a bucket.
import { createSecretKey, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { createFile, DurableFolders, errnoOf } from '../durable-files.ts';
import { takeLock } from '../installation.ts';
import { makeFolder } from '../make-folder.ts';
import type { ListedObject, ObjectStore } from '../objects/object-store.ts';
import { openObjectStore } from '../objects/open-object-store.ts';
import { FileReadError, readRegularFile } from '../read-bounded.ts';

/** The target holds no usable backup; the message is one sentence. */
export class BackupRejected extends Error {}

/** A part of the backup is damaged without which nothing can be restored. */
export class BackupDamaged extends Error {}

/** The part of an object store that pieces need. */
export type PieceStore = Pick<ObjectStore, 'put' | 'get' | 'findHead' | 'delete' | 'list'>;

export type BackupTarget = AsyncDisposable & {
  /** The address in the operator's form. */
  readonly name: string;
  readonly pieces: PieceStore;
  /** Names of manifests, oldest first; empty if the target has none. */
  listManifests(): Promise<string[]>;
  /** Null if absent. Throws `BackupRejected` for anything but a regular file of at most this length. */
  readFile(name: string, maxBytes: number): Promise<Buffer | null>;
  /** Atomic, and durable when it resolves. Fails if the file exists. */
  createFile(name: string, bytes: Uint8Array): Promise<void>;
  removeFiles(names: readonly string[]): Promise<void>;
  /** Path of a file in the operator's form. */
  pathOf(name: string): string;
  /** Names of all top-level entries, except temporary ones of a backup. */
  listTop(): Promise<readonly string[]>;
  /**
   * Locks the target for this process until closed. A bucket has no locks: there the lease in the database is the only
   * one.
   */
  lock(busy: string): Promise<{ close(): unknown }>;
};

export const manifestFolder = 'backups';
const lockName = 'backup.lock';
const ending = '.json';

export const toManifests = (names: readonly string[]): string[] => names.filter(name => name.endsWith(ending)).sort();

/**
 * Writes nothing until it is locked or a piece is accessed; the latter also removes temporary files of a killed backup.
 */
export function openFolderTarget(folder: string): BackupTarget {
  const pathOf = (name: string) => join(folder, name);
  const store = new LazyStore(folder);
  return {
    name: folder,
    pieces: store,
    pathOf,
    async listManifests() {
      const names = await readdir(pathOf(manifestFolder)).catch(error => {
        if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
        throw error;
      });
      return toManifests(names);
    },
    async readFile(name, maxBytes) {
      try {
        return await readRegularFile(pathOf(name), maxBytes);
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return null;
        throw error instanceof FileReadError ? new BackupRejected(`the file ${pathOf(name)} ${error.message}.`) : error;
      }
    },
    async createFile(name, bytes) {
      await new DurableFolders().ensure(join(pathOf(name), '..'));
      await createFile(pathOf(name), bytes, 0o600);
    },
    async removeFiles(names) {
      for (const name of names) await rm(pathOf(name));
      await syncFolder(pathOf(manifestFolder));
    },
    async listTop() {
      const passing = [lockName, 'lost+found']; // prefixes: the lock has journal files
      const names = await readdir(folder).catch(error => {
        if (errnoOf(error) === 'ENOENT') return [];
        throw error;
      });
      return names.filter(name => !passing.some(start => name.startsWith(start)));
    },
    async lock(busy) {
      makeFolder(folder);
      return takeLock(pathOf(lockName), busy);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Opens on first use, so that an unclaimed folder stays unchanged. */
class LazyStore implements PieceStore, AsyncDisposable {
  readonly #folder: string;
  #store: Promise<ObjectStore> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  #open(): Promise<ObjectStore> {
    // A random secret, since no signed URLs are given out.
    const presign = { baseUrl: '', secret: createSecretKey(randomBytes(32)) };
    this.#store ??= openObjectStore({ kind: 'disk', folder: this.#folder, presign });
    return this.#store;
  }

  put: PieceStore['put'] = async (...call) => (await this.#open()).put(...call);
  get: PieceStore['get'] = async (...call) => (await this.#open()).get(...call);
  findHead: PieceStore['findHead'] = async (...call) => (await this.#open()).findHead(...call);
  delete: PieceStore['delete'] = async (...call) => (await this.#open()).delete(...call);

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    yield* (await this.#open()).list(prefix);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#store)?.[Symbol.asyncDispose]();
  }
}
