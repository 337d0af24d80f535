// A stream becomes a durable file in its place. Knows nothing of keys, and holds nothing of its own: it runs on any thread.
import { type FileHandle, open, rm } from 'node:fs/promises';
import { freeBlock } from '@recordproof/shared/node/free-block.ts';
import { syncFolder } from '../durable-files.ts';
import type { PutCheck } from './checked-stream.ts';
import { replace } from './disk-files.ts';
import { toFooter } from './disk-layout.ts';
import { ObjectStoreError, type StoredObject } from './object-store.ts';

/** Where an object goes: its file, the folder that learns its name, and what the file is called until it is whole. */
export type ObjectPlace = { readonly path: string; readonly parent: string; readonly temporary: string };

type StoreAtOptions = {
  readonly ownsBlocks?: boolean | undefined;
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
  { ownsBlocks = false, publish = replace }: StoreAtOptions = {},
): Promise<StoredObject> {
  let isLeft = true;
  try {
    await writeTemporary(temporary, source, check, ownsBlocks);
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
  ownsBlocks: boolean,
): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  const toTail = () => {
    const { size, sha256 } = check.finish();
    return toFooter(size, sha256);
  };
  await writeStream(file, source, check, { toTail, ownsBlocks });
  await file.sync();
}

async function writeAll(file: FileHandle, blocks: readonly Uint8Array[], position: number): Promise<void> {
  let rest = [...blocks];
  let at = position;
  while (rest.length > 0) {
    let { bytesWritten: written } = await file.writev(rest, at);
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
}

async function writeAndFree(file: FileHandle, blocks: readonly Uint8Array[], position: number): Promise<void> {
  await writeAll(file, blocks, position);
  for (const block of blocks) freeBlock(block);
}

/**
 * Hashes a batch while the one before is on its way to the disk; at most two batches are in memory. The tail is asked
 * for when the source has ended, and is written behind it.
 */
async function writeStream(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  check: PutCheck,
  { toTail, ownsBlocks }: { readonly toTail: () => Uint8Array; readonly ownsBlocks: boolean },
): Promise<void> {
  const write = ownsBlocks ? writeAndFree : writeAll;
  let batch: Uint8Array[] = [];
  let bytes = 0;
  let position = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async () => {
    await writing;
    writing = write(file, batch, position);
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
