// Writing a stream to a durable file. Independent of keys and stateless: it runs on any thread.
import { writevSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { freeBlock } from '@recordproof/shared/node/whole-block.ts';
import type { PutCheck } from './checked-stream.ts';
import { replace } from './disk-files.ts';
import { toFooter } from './disk-layout.ts';
import { type ObjectPaths, ObjectStoreError, type StoredObject } from './object-store.ts';

type StoreAtOptions = {
  readonly ownsBlocks?: boolean | undefined;
  /** Writes synchronously, for threads that may block. */
  readonly blocking?: boolean;
  /** Publishes the complete file; default: a rename. */
  readonly publish?: (from: string, to: string) => Promise<void>;
};

const batchBytes = 1024 * 1024;
const batchBlocks = 512;

/** Durable when it resolves; leaves nothing when it rejects. Errors are the system's own. */
export async function storeAt(
  { path, parent, temporary }: ObjectPaths,
  source: AsyncIterable<Uint8Array>,
  check: PutCheck,
  { ownsBlocks = false, blocking = false, publish = replace }: StoreAtOptions = {},
): Promise<StoredObject> {
  let isLeft = true;
  try {
    await writeTemporary(temporary, source, check, { ownsBlocks, blocking });
    await publish(temporary, path);
    isLeft = publish !== replace;
    await syncFolder(parent);
    const stored = check.finish();
    return { ...stored, etag: stored.sha256 };
  } finally {
    if (isLeft) await rm(temporary, { force: true }).catch(() => undefined);
  }
}

async function writeTemporary(
  path: string,
  source: AsyncIterable<Uint8Array>,
  check: PutCheck,
  how: HowToWrite,
): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  const toTail = () => {
    const { size, sha256 } = check.finish();
    return toFooter(size, sha256);
  };
  await writeStream(file, source, check, { toTail, ...how });
  await file.sync();
}

type HowToWrite = { readonly ownsBlocks: boolean; readonly blocking: boolean };

const writeSome = async (
  file: FileHandle,
  blocks: readonly Uint8Array[],
  position: number,
  blocking: boolean,
): Promise<number> =>
  blocking ? writevSync(file.fd, blocks, position) : (await file.writev(blocks, position)).bytesWritten;

async function writeAll(
  file: FileHandle,
  blocks: readonly Uint8Array[],
  position: number,
  { ownsBlocks, blocking }: HowToWrite,
): Promise<void> {
  let rest = [...blocks];
  let at = position;
  while (rest.length > 0) {
    let written = await writeSome(file, rest, at, blocking);
    if (written === 0 && rest.some(block => block.length > 0))
      throw new ObjectStoreError('FAILED', 'the disk accepts no more bytes');
    at += written;
    const firstLeft = rest.findIndex(block => {
      if (block.length > written) return true;
      written -= block.length;
      return false;
    });
    rest = firstLeft < 0 ? [] : rest.slice(firstLeft);
    const [first] = rest;
    if (first !== undefined && written > 0) rest[0] = first.subarray(written);
  }
  if (ownsBlocks) for (const block of blocks) freeBlock(block);
}

/**
 * Hashes one batch while the previous one is written; at most two are in memory. The tail is computed at the end of the
 * source and appended.
 */
async function writeStream(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  check: PutCheck,
  { toTail, ...how }: HowToWrite & { readonly toTail: () => Uint8Array },
): Promise<void> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  let position = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async () => {
    await writing;
    writing = writeAll(file, batch, position, how);
    writing.catch(() => undefined);
    position += bytes;
    batch = [];
    bytes = 0;
  };
  try {
    for await (const block of source) {
      // Flushed late, so that the last batch includes the tail.
      if (bytes >= batchBytes || batch.length >= batchBlocks) await flush();
      check.update(block);
      batch.push(block);
      bytes += block.length;
    }
    batch.push(toTail());
    await flush();
    await writing;
  } finally {
    // Waits for the write in progress, because the caller closes the file next.
    await writing.catch(() => undefined);
  }
}
