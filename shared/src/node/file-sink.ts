// A file on disk as the sink of a download. It is written under a hidden name next to the target and renamed once it is
// durable; an existing file is replaced only if that was allowed.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Sink } from '../transfer/ports.ts';
import { TransferError } from '../transfer/transfer-error.ts';
import { nameNew, syncFolder } from './durable-file.ts';
import { type HashPool, openRangeDigests } from './hash-pool.ts';
import { lockFileExclusively, removeLockedFile } from './locked-file.ts';
import { freeBlock } from './whole-block.ts';

const gatherBytes = 1024 * 1024;

type FileSinkOptions = {
  readonly target: string;
  /** Identifies the download: only a later run with the same key continues the draft. */
  readonly key: string;
  readonly mayReplace: boolean;
  /** The folder of lock files, which prevent two runs from writing to one target. */
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

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code;

const exists = (target: string, cause?: unknown): TransferError =>
  new TransferError('target-exists', `${target} exists already`, cause);

export async function rejectExisting(target: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  if (found) throw exists(target);
}

async function openDraft(path: string): Promise<FileHandle> {
  // A symbolic link placed here would redirect the bytes.
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  await using opening = new AsyncDisposableStack();
  const file = opening.use(await open(path, flags, 0o666));
  const { nlink, uid } = await file.stat();
  const isOurs = uid === (process.getuid?.() ?? uid);
  if (!isOurs) throw new Error(`${path} belongs to another user; delete it, or choose another target`);
  if (nlink === 1) {
    opening.move();
    return file;
  }
  // A hard link: an earlier run was killed just after it had linked the finished file, or a link was placed here.
  await rm(path);
  return open(path, flags | constants.O_EXCL, 0o666);
}

/** Collects blocks into few large writes; each block is freed once it is written. */
class GatheredWrites {
  #position: number;
  #blocks: Uint8Array[] = [];
  #bytes = 0;
  readonly #file: FileHandle;

  constructor(file: FileHandle, position: number) {
    this.#file = file;
    this.#position = position;
  }

  /** Written and pending bytes. */
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
    for (const block of blocks) freeBlock(block);
  }

  /** Drops pending blocks; the file is truncated to `size`, where the next block follows. */
  restartAt(size: number): void {
    this.#blocks = [];
    this.#bytes = 0;
    this.#position = size;
  }
}

/** Throws FileLocked if another run downloads the same to the same target. */
export async function openFileSink({ key, mayReplace, lockFolder, pool, ...options }: FileSinkOptions): Promise<Sink> {
  const target = resolve(options.target);
  if (!mayReplace) await rejectExisting(target);
  const draft = draftPath(target, key);
  const lockFile = join(lockFolder, `${createHash('sha256').update(draft).digest('hex').slice(0, 32)}.lock`);
  await using opening = new AsyncDisposableStack();
  const lock = lockFileExclusively(lockFile);
  opening.defer(() => {
    removeLockedFile(lockFile);
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
      else
        await nameNew(draft, target).catch(error => {
          throw codeOf(error) === 'EEXIST' ? exists(target, error) : error;
        });
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
