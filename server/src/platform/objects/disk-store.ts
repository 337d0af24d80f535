// Embedded object store in a folder on a local disk: streams to durable files and back. Rejects file systems without
// hard links, which atomic creates need. The layout is in disk-layout.ts.
import { createHash, type KeyObject } from 'node:crypto';
import { link, open, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { systemClock } from '../clock.ts';
import { DurableFolders, errnoOf } from '../durable-files.ts';
import { readWithoutWaiting } from '../read-bounded.ts';
import { checkedRead, incoming, PutCheck } from './checked-stream.ts';
import { replace, requireHardLinks, sweepTemporary, takeAway, toStoreError, toTemporaryName } from './disk-files.ts';
import { findArea, toObjectPath } from './disk-layout.ts';
import { type SignedObjectGrant, toSignedUrl } from './disk-presign.ts';
import {
  blockBytes,
  findStamp,
  isFileThere,
  listFolders,
  listShard,
  readAhead,
  readBlocks,
  readFooter,
  readHead,
  readStart,
  rejectRead,
} from './disk-reads.ts';
import { storeAt } from './disk-write.ts';
import {
  type ByteSource,
  type CreateOptions,
  type ListedObject,
  type ListOptions,
  type ObjectFiles,
  type ObjectHead,
  type ObjectPaths,
  type ObjectRead,
  type ObjectStore,
  ObjectStoreError,
  type PresignedRequest,
  type PutOptions,
  parseObjectKey,
  parseRange,
  type ReadOptions,
  type StoredObject,
  type StoreHealth,
  throwIfAborted,
} from './object-store.ts';

export type DiskStoreOptions = {
  readonly folder: string;
  /** URL and secret of the HTTP route for signed URLs. Verify with verifySignedRequest. */
  readonly presign: { readonly baseUrl: string; readonly secret: KeyObject };
  readonly now?: () => number;
  /** Throws NO_SPACE if nothing new may be stored. */
  readonly assertRoom?: () => void;
};

const unknownOwnerSeconds = 24 * 60 * 60;

/** Creates the folders, checks the file system, and removes leftovers of dead writers. */
export async function openDiskStore(options: DiskStoreOptions): Promise<ObjectStore> {
  const folder = resolve(options.folder);
  const folders = new DurableFolders();
  const store = new DiskStore(folder, folders, options);
  try {
    await folders.ensure(store.objectsFolder);
    await folders.ensure(store.temporaryFolder);
    await sweepTemporary(store.temporaryFolder, unknownOwnerSeconds, store.now());
    await requireHardLinks(store.temporaryFolder);
  } catch (error) {
    throw toStoreError(error);
  }
  return store;
}

const replacedMeanwhile = (): ObjectStoreError =>
  new ObjectStoreError('REPLACED', 'the object was replaced before it was copied');

class DiskStore implements ObjectStore {
  readonly backend = 'DISK';
  readonly files: ObjectFiles = {
    pathOf: key => this.#locate(key).path,
    prepare: key => this.#prepare(key),
    findStamp: key => findStamp(this.#locate(key).path),
  };
  readonly objectsFolder: string;
  readonly temporaryFolder: string;
  readonly now: () => number;
  readonly #folder: string;
  readonly #folders: DurableFolders;
  readonly #presign: DiskStoreOptions['presign'];
  readonly #assertRoom: () => void;

  constructor(folder: string, folders: DurableFolders, options: DiskStoreOptions) {
    this.#folder = folder;
    this.#folders = folders;
    this.objectsFolder = join(folder, 'objects');
    this.temporaryFolder = join(folder, 'temporary');
    this.#presign = options.presign;
    this.now = options.now ?? systemClock.now;
    this.#assertRoom = options.assertRoom ?? (() => {});
  }

  async put(key: string, source: ByteSource, options: PutOptions = {}): Promise<StoredObject> {
    return this.#store(key, source, options, replace);
  }

  async create(key: string, source: ByteSource, options: CreateOptions): Promise<StoredObject> {
    const { path, parent } = this.#locate(key);
    try {
      if (!(await isFileThere(path))) return await this.#store(key, source, options, link);
    } catch (error) {
      if (!(error instanceof ObjectStoreError && error.kind === 'EXISTS')) throw toStoreError(error);
    }
    // The winner may have died before its sync: an EXISTS must be durable.
    await syncFolder(parent).catch(error => Promise.reject(toStoreError(error)));
    throw new ObjectStoreError('EXISTS', 'this object already exists');
  }

  async #store(
    key: string,
    source: ByteSource,
    options: PutOptions,
    publish: (from: string, to: string) => Promise<void>,
  ): Promise<StoredObject> {
    try {
      const check = new PutCheck(options);
      throwIfAborted(options.signal);
      const paths = await this.#prepare(key);
      const { ownsBlocks } = options;
      return await storeAt(paths, incoming(source, options.signal), check, { ownsBlocks, publish });
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async #prepare(key: string): Promise<ObjectPaths> {
    const { path, parent } = this.#locate(key);
    try {
      this.#assertRoom();
      await this.#folders.ensure(parent);
      return { path, parent, temporary: join(this.temporaryFolder, toTemporaryName()) };
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async get(key: string, options: ReadOptions = {}): Promise<ObjectRead> {
    const { path } = this.#locate(key);
    throwIfAborted(options.signal);
    const head = await readHead(path).catch(error => rejectRead(error, this.objectsFolder));
    const range = parseRange(head.size, options);
    const blocks = readBlocks(path, head, range, options.signal);
    const body = checkedRead(blocks, { length: range.end - range.start, sha256: options.sha256 });
    return { ...head, ...range, body };
  }

  async readStart(key: string, bytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    const { path } = this.#locate(key);
    throwIfAborted(signal);
    return readStart(path, bytes).catch(error => rejectRead(error, this.objectsFolder));
  }

  async findHead(key: string): Promise<ObjectHead | null> {
    const { path } = this.#locate(key);
    return readHead(path).catch(async error => {
      const rejected = await rejectRead(error, this.objectsFolder).catch((why: unknown) => why);
      if (rejected instanceof ObjectStoreError && rejected.kind === 'NOT_FOUND') return null;
      throw rejected;
    });
  }

  async digest(key: string, signal?: AbortSignal): Promise<{ size: number; sha256: string }> {
    const { path } = this.#locate(key);
    try {
      await using file = await open(path, readWithoutWaiting);
      const { size } = await readFooter(file);
      const hash = createHash('sha256');
      // Double buffering: one is filled while the other is hashed.
      const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(blockBytes, size)));
      let turn = 0;
      const blocks = readAhead(file, 0, size, () => buffers[turn++ % 2] ?? Buffer.alloc(0));
      for await (const block of blocks) {
        throwIfAborted(signal);
        hash.update(block);
      }
      return { size, sha256: hash.digest('hex') };
    } catch (error) {
      return rejectRead(error, this.objectsFolder);
    }
  }

  async copy(from: string, to: string, options: { readonly etag?: string } = {}): Promise<ObjectHead> {
    const source = this.#locate(from);
    const target = this.#locate(to);
    const temporary = join(this.temporaryFolder, toTemporaryName());
    try {
      await this.#folders.ensure(target.parent);
      // Objects are never modified in place, so a hard link is a copy.
      await link(source.path, temporary);
      const head = await readHead(temporary);
      if (options.etag !== undefined && options.etag !== head.etag) throw replacedMeanwhile();
      await replace(temporary, target.path);
      await syncFolder(target.parent);
      return head;
    } catch (error) {
      throw toStoreError(error);
    } finally {
      // rename does nothing if both names are links to the same file.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  async delete(key: string): Promise<void> {
    const { path, parent } = this.#locate(key);
    try {
      await takeAway(path);
      await syncFolder(parent);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw toStoreError(error);
    }
  }

  async *list(prefix: string, { after }: ListOptions = {}): AsyncGenerator<ListedObject, void, void> {
    const onlyArea = findArea(prefix);
    const passed = after === undefined ? [] : toObjectPath(after).folders;
    const [passedArea = '', passedShard = ''] = passed;
    const areas = onlyArea === null ? await listFolders(this.objectsFolder) : [onlyArea];
    for (const area of areas.filter(name => name >= passedArea)) {
      const isBegun = area === passedArea;
      for (const shard of await listFolders(join(this.objectsFolder, area))) {
        if (isBegun && shard < passedShard) continue;
        const path = join(this.objectsFolder, area, shard);
        yield* listShard(path, prefix, isBegun && shard === passedShard ? after : undefined);
      }
    }
  }

  async presignPut(key: string, { size, expiresInSeconds }: { size: number; expiresInSeconds: number }) {
    return this.#sign({ method: 'PUT', key, size }, { 'content-length': String(size) }, expiresInSeconds);
  }

  async presignGet(key: string, { expiresInSeconds }: { expiresInSeconds: number }) {
    return this.#sign({ method: 'GET', key }, {}, expiresInSeconds);
  }

  #sign(
    grant: Omit<SignedObjectGrant, 'expiresAtEpochSeconds'>,
    headers: PresignedRequest['headers'],
    expiresInSeconds: number,
  ): PresignedRequest {
    const { secret, baseUrl } = this.#presign;
    const expiresAtEpochSeconds = Math.floor(this.now() / 1000) + expiresInSeconds;
    const url = toSignedUrl(secret, baseUrl, { ...grant, expiresAtEpochSeconds });
    return { method: grant.method, url, headers, expiresAtEpochSeconds };
  }

  async probe(): Promise<StoreHealth> {
    const name = 'disk';
    try {
      const space = await statfs(this.#folder);
      const used = space.blocks - space.bfree;
      const usagePercent = used + space.bavail === 0 ? 100 : (100 * used) / (used + space.bavail);
      const online = await this.#canWrite();
      return { healthyNodes: online ? 1 : 0, totalNodes: 1, usagePercent, nodes: [{ name, online, usagePercent }] };
    } catch {
      return { healthyNodes: 0, totalNodes: 1, nodes: [{ name, online: false }] };
    }
  }

  async #canWrite(): Promise<boolean> {
    const path = join(this.temporaryFolder, toTemporaryName());
    const wrote = await writeFile(path, 'probe', { flag: 'wx', mode: 0o600 }).then(
      () => true,
      () => false,
    );
    await rm(path, { force: true }).catch(() => undefined);
    return wrote;
  }

  async sweepLeftovers(olderThanSeconds: number): Promise<number> {
    return sweepTemporary(this.temporaryFolder, olderThanSeconds, this.now()).catch(error =>
      Promise.reject(toStoreError(error)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #locate(key: string): { readonly path: string; readonly parent: string } {
    const { folders, file } = toObjectPath(parseObjectKey(key));
    const parent = join(this.objectsFolder, ...folders);
    return { path: join(parent, file), parent };
  }
}
