// A file on disk as the source of an upload. Detects by size, time and inode when the path is no longer the opened
// file.
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Source } from '../transfer/ports.ts';
import { TransferError } from '../transfer/transfer-error.ts';
import { type HashPool, openRangeDigests } from './hash-pool.ts';

const blockBytes = 1024 * 1024;

type Stats = { readonly dev: bigint; readonly ino: bigint; readonly mtimeNs: bigint; readonly size: bigint };

const toRevision = ({ dev, ino, mtimeNs, size }: Stats): string => `${dev}-${ino}-${mtimeNs}-${size}`;

const changed = (path: string, cause?: unknown): TransferError =>
  new TransferError('source-changed', `${path} was changed while it was uploaded`, cause);

async function* readBlocks(file: FileHandle, path: string, start: number, end: number): AsyncIterable<Uint8Array> {
  const block = Buffer.allocUnsafeSlow(Math.min(blockBytes, Math.max(1, end - start)));
  for (let position = start; position < end; ) {
    const { bytesRead } = await file.read(block, 0, Math.min(block.length, end - position), position);
    if (bytesRead === 0) throw changed(path);
    position += bytesRead;
    yield block.subarray(0, bytesRead);
  }
}

export async function openFileSource(givenPath: string, pool: HashPool): Promise<Source> {
  const path = resolve(givenPath);
  // Otherwise opening a named pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile())
      throw new TransferError('source-not-a-file', `${path} is not a file that can be read more than once`);
    const revision = toRevision(found);
    const digests = openRangeDigests(file.fd, pool);
    return {
      path,
      name: basename(path),
      size: Number(found.size),
      revision,
      read: (start, end) => readBlocks(file, path, start, end),
      digest: (start, end, signal) =>
        digests.digest(start, end, signal).catch(error => {
          signal?.throwIfAborted();
          throw changed(path, error);
        }),
      async assertUnchanged() {
        const now = await stat(path, { bigint: true }).catch(error => {
          throw changed(path, error);
        });
        if (toRevision(now) !== revision) throw changed(path);
      },
      async [Symbol.asyncDispose]() {
        await digests.settled();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
