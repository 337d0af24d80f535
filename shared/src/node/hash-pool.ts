// Worker threads that hash ranges of open files. The caller keeps a file descriptor open until all promises about it
// have settled; aborting does not end a running step.
import type { RangeDigest, SinkDigest } from '../transfer/ports.ts';
import type { HashTask } from './hash-worker.ts';
import { hashWorkerCode } from './hash-worker-code.ts';
import { openThreads, type ThreadCode } from './threads.ts';

type FileDigest = {
  /**
   * Continues hashing at the last end, or at the first start. Calls must not overlap. After a failure the digest is
   * unusable.
   */
  extend(fd: number, start: number, end: number, signal?: AbortSignal): Promise<void>;
  /** `sha256:<hex>`; the digest is unusable afterwards. */
  finish(): Promise<string>;
  drop(): void;
};

export type HashPool = AsyncDisposable & {
  readonly size: number;
  openDigest(): FileDigest;
};

/** Between two steps an abort is noticed, and other digests can run. */
const stepBytes = 32 * 1024 * 1024;

type HashPoolOptions = {
  readonly size?: number;
  readonly code?: ThreadCode;
};

export function openHashPool(options: HashPoolOptions = {}): HashPool {
  const code = options.code ?? hashWorkerCode();
  const threads = openThreads<HashTask, string | undefined>(code, options.size);
  let digests = 0;

  function openDigest(): FileDigest {
    const lane = threads.openLane();
    digests += 1;
    const digest = digests;
    let isOpen = true;
    const close = (): void => {
      lane[Symbol.dispose]();
      isOpen = false;
    };
    // The thread would start another digest under this number.
    const rejectEnded = (): void => {
      if (!isOpen) throw new Error('this digest has ended');
    };
    const drop = (): void => {
      if (isOpen) void lane.ask({ kind: 'drop', digest }).catch(() => undefined);
      close();
    };
    return {
      async extend(fd, start, end, signal) {
        for (let from = start; from < end; from += stepBytes) {
          signal?.throwIfAborted();
          rejectEnded();
          try {
            await lane.ask({ kind: 'extend', digest, fd, start: from, end: Math.min(end, from + stepBytes) });
          } catch (error) {
            drop(); // it contains part of this step
            throw error;
          }
        }
      },
      async finish() {
        rejectEnded();
        close();
        return `sha256:${await lane.ask({ kind: 'finish', digest })}`;
      },
      drop,
    };
  }

  return { size: threads.size, openDigest, [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose]() };
}

type RangeDigests = {
  readonly digest: RangeDigest;
  openDigest(): SinkDigest;
  /** Resolves when no read is running. */
  settled(): Promise<void>;
};

/** Digests over ranges of one open file. Tracks running reads, so that the file is not closed before they end. */
export function openRangeDigests(fd: number, pool: HashPool): RangeDigests {
  const running = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    const forget = () => void running.delete(work);
    work.then(forget, forget);
    return work;
  };

  async function hash(start: number, end: number, signal?: AbortSignal): Promise<string> {
    const digest = pool.openDigest();
    try {
      await digest.extend(fd, start, end, signal);
      return await digest.finish();
    } finally {
      digest.drop();
    }
  }

  return {
    digest: (start, end, signal) => track(hash(start, end, signal)),
    openDigest() {
      const digest = pool.openDigest();
      let position = 0;
      return {
        async extend(end) {
          await track(digest.extend(fd, position, end));
          position = end;
        },
        finish: () => digest.finish(),
      };
    },
    async settled() {
      await Promise.allSettled(running);
    },
  };
}
