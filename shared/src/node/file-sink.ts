// A file on disk as the goal of a download. It grows under a hidden name beside the target and takes the target's name
// when it is durable; a file that is there is only replaced when that was allowed.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Sink } from '../transfer/ports.ts';
import { TransferError } from '../transfer/transfer-error.ts';
import type { HashPool } from './hash-pool.ts';
import { holdFile, removeHeldFile } from './held-file.ts';
import { openRangeDigests } from './range-digests.ts';

const gatherBytes = 1024 * 1024;

type FileSinkOptions = {
  readonly target: string;
  /** What is downloaded: only a later run for the same thing goes on with what is there. */
  readonly key: string;
  readonly mayReplace: boolean;
  /** Where it is noted that a run writes to this target: two would cut off each other's bytes. */
  readonly lockFolder: string;
  readonly pool: HashPool;
};

export const draftPath = (target: string, key: string): string => {
  const id = createHash('sha256')
    .update(`${key}\n${basename(target)}`)
    .digest('hex')
    .slice(0, 24);
  return join(dirname(target), `.recordproof-${id}.part`);
};

/**
 * Gives the memory of a written block back at once. The collector sees only the small object in front of it, lets
 * hundreds of MiB gather, and then walks the whole heap for them: that cost more than receiving.
 */
function free(block: Uint8Array): void {
  const { buffer } = block;
  // Only memory that holds nothing but this block: then nobody else can be reading it.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === block.byteLength) buffer.transfer(0);
}

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code;

const exists = (target: string, cause?: unknown): TransferError =>
  new TransferError('target-exists', `${target} exists already`, cause);

export async function refuseExisting(target: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  if (found) throw exists(target);
}

async function openDraft(path: string): Promise<FileHandle> {
  // A link that somebody else has put here would lead the bytes elsewhere.
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  await using opening = new AsyncDisposableStack();
  const file = opening.use(await open(path, flags, 0o666));
  const { nlink, uid } = await file.stat();
  const isOurs = uid === (process.getuid?.() ?? uid);
  if (!isOurs) throw new Error(`${path} belongs to somebody else`);
  if (nlink === 1) {
    opening.move();
    return file;
  }
  // A second name: an earlier run was killed just after it had given the finished file its own, or a link was put here.
  await rm(path);
  return open(path, flags | constants.O_EXCL, 0o666);
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Gives the name without ever replacing: by a second name, or where that does not exist by reserving the name first. */
async function nameNew(draft: string, target: string): Promise<void> {
  try {
    await link(draft, target);
    await rm(draft);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw exists(target, error);
    const reserved = await open(target, 'wx').catch(cause => {
      throw codeOf(cause) === 'EEXIST' ? exists(target, cause) : cause;
    });
    await reserved.close();
    await rename(draft, target);
  }
}

/** Blocks that wait for each other, so that the disk sees few and large writes; each is freed when it is written. */
class GatheredWrites {
  #position: number;
  #blocks: Uint8Array[] = [];
  #bytes = 0;
  readonly #file: FileHandle;

  constructor(file: FileHandle, position: number) {
    this.#file = file;
    this.#position = position;
  }

  /** What was written, and what waits. */
  get size(): number {
    return this.#position + this.#bytes;
  }

  async add(block: Uint8Array): Promise<void> {
    this.#blocks.push(block);
    this.#bytes += block.length;
    if (this.#bytes >= gatherBytes) await this.flush();
  }

  async flush(): Promise<void> {
    const blocks = this.#blocks;
    const bytes = this.#bytes;
    this.#blocks = [];
    this.#bytes = 0;
    for (let rest = blocks; rest.length > 0; ) {
      const { bytesWritten } = await this.#file.writev(rest, this.#position);
      this.#position += bytesWritten;
      rest = rest === blocks && bytesWritten === bytes ? [] : dropFirst(rest, bytesWritten);
    }
    for (const block of blocks) free(block);
  }

  /** Forgets what waits; the next block comes after `size`, to which the file is cut. */
  restartAt(size: number): void {
    this.#blocks = [];
    this.#bytes = 0;
    this.#position = size;
  }
}

/** Throws HeldElsewhere when another run downloads the same to the same place. */
export async function openFileSink({ key, mayReplace, lockFolder, pool, ...given }: FileSinkOptions): Promise<Sink> {
  const target = resolve(given.target);
  if (!mayReplace) await refuseExisting(target);
  const draft = draftPath(target, key);
  const lockFile = join(lockFolder, `${createHash('sha256').update(draft).digest('hex').slice(0, 32)}.lock`);
  await using opening = new AsyncDisposableStack();
  const lock = holdFile(lockFile);
  opening.defer(() => {
    removeHeldFile(lockFile);
    lock.close();
  });
  const file = opening.use(await openDraft(draft));
  const leftover = (await file.stat()).size;
  const digests = openRangeDigests(file.fd, pool);
  const writes = new GatheredWrites(file, leftover);
  const held = opening.move();

  return {
    leftover,
    get size() {
      return writes.size;
    },
    digest: digests.digest,
    openDigest: digests.openDigest,
    flush: () => writes.flush(),
    write: block => writes.add(block),
    async truncate(size) {
      writes.restartAt(size);
      await digests.settled();
      await file.truncate(size);
    },
    async commit() {
      await writes.flush();
      await file.sync();
      if (mayReplace) await rename(draft, target);
      else await nameNew(draft, target);
      await syncFolder(dirname(target));
    },
    discard: () => rm(draft, { force: true }),
    async [Symbol.asyncDispose]() {
      await digests.settled();
      await writes.flush().catch(() => undefined);
      await held.disposeAsync();
    },
  };
}

function dropFirst(blocks: readonly Uint8Array[], count: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let left = count;
  for (const block of blocks) {
    if (left < block.length) rest.push(block.subarray(left));
    left = Math.max(0, left - block.length);
  }
  return rest;
}
