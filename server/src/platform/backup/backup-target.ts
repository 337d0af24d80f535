// Where backups are kept: manifests, a few small files and pieces, in a folder or below a prefix of a bucket.
import { createSecretKey, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { createFile, DurableFolders, errnoOf } from '../durable-files.ts';
import { takeLock } from '../installation.ts';
import { makeFolder } from '../make-folder.ts';
import type { ListedObject, ObjectStore } from '../objects/object-store.ts';
import { openObjectStore } from '../objects/open-object-store.ts';
import { FileRefused, readRegularFile } from '../read-bounded.ts';
import { BackupRefused } from './backup-refused.ts';

/** What pieces need of an object store. */
export type PieceStore = Pick<ObjectStore, 'put' | 'get' | 'findHead' | 'delete' | 'list'>;

export type BackupTarget = AsyncDisposable & {
  /** As operators write it. */
  readonly name: string;
  readonly pieces: PieceStore;
  /** Names of manifests, the oldest first; none where nothing of the kind is there. */
  listManifests(): Promise<string[]>;
  /** Null where it is not there. Throws `BackupRefused` for anything but a file of at most this length. */
  readFile(name: string, maxBytes: number): Promise<Buffer | null>;
  /** Durable when it resolves, whole or not there. Fails where it is there. */
  createFile(name: string, bytes: Uint8Array): Promise<void>;
  removeFiles(names: readonly string[]): Promise<void>;
  /** Where the file is, as operators write it. */
  pathOf(name: string): string;
  /** Names of everything at the top, but for what comes and goes with a backup. */
  listTop(): Promise<readonly string[]>;
  /** For this process alone, until it is closed. A bucket has no locks: there the lease in the database must do. */
  lock(busy: string): Promise<{ close(): unknown }>;
};

export const manifestFolder = 'backups';
const lockName = 'backup.lock';
const ending = '.json';

export const toManifests = (names: readonly string[]): string[] => names.filter(name => name.endsWith(ending)).sort();

/** Writes nothing before it is locked or a piece is asked for; that clears away what a killed backup left half written. */
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
        throw error instanceof FileRefused ? new BackupRefused(`the file ${pathOf(name)} ${error.message}.`) : error;
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
      const passing = [lockName, 'lost+found']; // with its journals
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

/** A folder that nobody has claimed stays as it is. */
class LazyStore implements PieceStore, AsyncDisposable {
  readonly #folder: string;
  #store: Promise<ObjectStore> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  #open(): Promise<ObjectStore> {
    // Nobody is ever given an address to these objects.
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
