// Worker threads that hash ranges of open files. Whoever hands in a file descriptor keeps it open until every promise
// about it has settled; aborting does not end a step that runs.
import type { HashTask } from './hash-worker.ts';
import { hashWorkerCode } from './hash-worker-code.ts';
import { openThreads, type ThreadCode } from './threads.ts';

type FileDigest = {
  /** Hashes on from the last end, or from the first start. Calls do not overlap. When it fails, the digest has ended. */
  extend(fd: number, start: number, end: number, signal?: AbortSignal): Promise<void>;
  /** `sha256:<hex>`; the digest cannot be used afterwards. */
  finish(): Promise<string>;
  drop(): void;
};

export type HashPool = AsyncDisposable & {
  readonly size: number;
  openDigest(): FileDigest;
};

/** Between two steps an abort is noticed and other digests get their turn. */
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
    // The thread would begin another digest under this number.
    const refuseEnded = (): void => {
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
          refuseEnded();
          try {
            await lane.ask({ kind: 'extend', digest, fd, start: from, end: Math.min(end, from + stepBytes) });
          } catch (error) {
            drop(); // it holds a part of this step
            throw error;
          }
        }
      },
      async finish() {
        refuseEnded();
        close();
        return `sha256:${await lane.ask({ kind: 'finish', digest })}`;
      },
      drop,
    };
  }

  return { size: threads.size, openDigest, [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose]() };
}
