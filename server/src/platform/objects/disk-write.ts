// A stream becomes a durable file in its place. Knows nothing of keys, and holds nothing of its own: it runs on any thread.
import { writevSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { freeBlock } from '@recordproof/shared/node/free-block.ts';
import type { PutCheck } from './checked-stream.ts';
import { replace } from './disk-files.ts';
import { toFooter } from './disk-layout.ts';
import { type ObjectPlace, ObjectStoreError, type StoredObject } from './object-store.ts';

type StoreAtOptions = {
  readonly ownsBlocks?: boolean | undefined;
  /** Writes without asking another thread to: for threads that may wait. */
  readonly blocking?: boolean;
  /** How the whole file gets its name; a rename when left out. */
  readonly publish?: (from: string, to: string) => Promise<void>;
};

const batchBytes = 1024 * 1024;
const batchBlocks = 512;

/** Durable when it resolves. When it rejects, nothing of it is left. Errors leave as the system gave them. */
export async function storeAt(
  { path, parent, temporary }: ObjectPlace,
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
      throw new ObjectStoreError('FAILED', 'the disk takes no bytes');
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
 * Hashes a batch while the one before is on its way to the disk; at most two batches are in memory. The tail is asked
 * for when the source has ended, and is written behind it.
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
      // Not as soon as it is full: the last batch takes the tail along.
      if (bytes >= batchBytes || batch.length >= batchBlocks) await flush();
      check.update(block);
      batch.push(block);
      bytes += block.length;
    }
    batch.push(toTail());
    await flush();
    await writing;
  } finally {
    // Nobody may close the file under a write that is still running.
    await writing.catch(() => undefined);
  }
}
