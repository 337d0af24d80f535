// Reads of the disk store: heads, blocks, listings. Errors are the system's own.
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../durable-files.ts';
import { readWithoutWaiting } from '../read-bounded.ts';
import { toStoreError } from './disk-files.ts';
import { findKeyOfName, footerBytes, isContinuation, parseFooter, withoutContinuationMark } from './disk-layout.ts';
import { type ListedObject, type ObjectHead, ObjectStoreError, throwIfAborted } from './object-store.ts';

/** Large enough for the disk, small enough for many stalled readers. */
export const blockBytes = 256 * 1024;

type DiskHead = ObjectHead & { readonly sha256: string };

export async function readFooter(file: FileHandle): Promise<DiskHead> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new ObjectStoreError('CORRUPT', 'a stored object is not a regular file');
  const fileBytes = stats.size;
  const footer = Buffer.alloc(footerBytes);
  const { bytesRead } = await file.read(footer, 0, footerBytes, Math.max(0, fileBytes - footerBytes));
  const { size, sha256 } = parseFooter(footer.subarray(0, bytesRead), fileBytes);
  return { size, sha256, etag: sha256 };
}

export async function readHead(path: string): Promise<DiskHead> {
  await using file = await open(path, readWithoutWaiting);
  return await readFooter(file);
}

/** The first bytes of the object, without its footer if that is intact. */
export async function readStart(path: string, bytes: number): Promise<Uint8Array> {
  await using file = await open(path, readWithoutWaiting);
  const { size: fileBytes } = await file.stat();
  const size = await readFooter(file).then(
    head => head.size,
    (error: unknown) => {
      if (error instanceof ObjectStoreError && error.kind === 'CORRUPT') return fileBytes;
      throw error;
    },
  );
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(bytes, size)), 0, Math.min(bytes, size), 0);
  return buffer.subarray(0, bytesRead);
}

export const toStamp = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join('.');

export async function findStamp(path: string): Promise<string | null> {
  const found = await ifPresent(stat(path, { bigint: true }), null);
  return found && toStamp(found);
}

/** Fills the next buffer while the consumer uses the current one. */
export async function* readAhead(
  file: FileHandle,
  start: number,
  end: number,
  nextBuffer: (bytes: number) => Buffer,
): AsyncGenerator<Buffer, void, void> {
  const fill = async (position: number): Promise<Buffer> => {
    const blockSize = Math.min(blockBytes, end - position);
    const buffer = nextBuffer(blockSize);
    const { bytesRead } = await file.read(buffer, 0, blockSize, position);
    if (bytesRead === 0) throw new ObjectStoreError('CORRUPT', 'a stored object became shorter while it was read');
    return buffer.subarray(0, bytesRead);
  };
  let position = start;
  let pending = position < end ? fill(position) : undefined;
  try {
    while (pending !== undefined) {
      const block: Buffer = await pending;
      position += block.length;
      pending = position < end ? fill(position) : undefined;
      pending?.catch(() => undefined);
      yield block;
    }
  } finally {
    // Waits for the read in progress, because the caller closes the file next.
    await pending?.catch(() => undefined);
  }
}

/** Opens the file at the first block, so that a read that is never iterated holds no resources. */
export async function* readBlocks(
  path: string,
  head: DiskHead,
  range: { readonly start: number; readonly end: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    await using file = await open(path, readWithoutWaiting);
    const now = await readFooter(file);
    if (now.etag !== head.etag) throw new ObjectStoreError('REPLACED', 'the object was replaced while it was read');
    for await (const block of readAhead(file, range.start, range.end, bytes => Buffer.allocUnsafeSlow(bytes))) {
      throwIfAborted(signal);
      yield block;
    }
  } catch (error) {
    throw toStoreError(error);
  }
}

const ifPresent = async <T>(work: Promise<T>, otherwise: T): Promise<T> =>
  work.catch(error => {
    if (errnoOf(error) === 'ENOENT') return otherwise;
    throw toStoreError(error);
  });

export const isFileThere = async (path: string): Promise<boolean> => (await ifPresent(stat(path), null)) !== null;

/** A missing root folder means an unmounted disk, not a missing object. */
export async function rejectRead(error: unknown, objectsFolder: string): Promise<never> {
  if (errnoOf(error) === 'ENOENT' && !(await isFileThere(objectsFolder)))
    throw new ObjectStoreError('UNAVAILABLE', 'the folder of the object store does not exist', error);
  throw toStoreError(error);
}

export async function listFolders(path: string): Promise<readonly string[]> {
  const entries = await ifPresent(readdir(path, { withFileTypes: true }), []);
  return entries
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort();
}

/** Walks one shard in key order, after the given key. */
export async function* listShard(
  path: string,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<ListedObject, void, void> {
  const found: StoredFile[] = [];
  await collectShard(path, '', found);
  const matching = found.filter(({ key }) => key.startsWith(prefix) && (after === undefined || key > after));
  for (const { key, path: objectPath } of matching.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const stats = await ifPresent(stat(objectPath), null);
    if (stats !== null) yield { key, size: Math.max(0, stats.size - footerBytes), modifiedAt: stats.mtime };
  }
}

type StoredFile = { readonly key: string; readonly path: string };

/** `begun`: the part of the name spelled by the parent folders. */
async function collectShard(path: string, begun: string, into: StoredFile[]): Promise<void> {
  for (const entry of await ifPresent(readdir(path, { withFileTypes: true }), [])) {
    const entryPath = join(path, entry.name);
    if (entry.isDirectory() && isContinuation(entry.name)) {
      await collectShard(entryPath, begun + withoutContinuationMark(entry.name), into);
      continue;
    }
    const key = entry.isFile() ? findKeyOfName(begun + entry.name) : null;
    if (key !== null) into.push({ key, path: entryPath });
  }
}
