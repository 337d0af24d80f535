// A few worker threads that hash ranges of open files. A thread starts when there is work for it. Whoever hands in a
// file descriptor keeps it open until every promise about it has settled; aborting does not end a step that runs.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { HashReply, HashTask } from './hash-worker.ts';

export type FileDigest = {
  /** Hashes on from the last end, or from the first start. Calls do not overlap. */
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

type Waiting = { resolve(hex: string | undefined): void; reject(error: Error): void };
type Thread = { readonly worker: Worker; readonly waiting: Map<number, Waiting>; digests: number };

export type HashPoolOptions = {
  readonly size?: number;
  /** Where a bundle keeps the worker's code. */
  readonly workerUrl?: URL;
};

function openThread(url: URL): Thread {
  const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: 64 }, execArgv: [] });
  const thread: Thread = { worker, waiting: new Map(), digests: 0 };
  const failAll = (error: Error): void => {
    for (const { reject } of thread.waiting.values()) reject(error);
    thread.waiting.clear();
  };
  worker.on('message', ({ id, hex, failure }: HashReply) => {
    const waiting = thread.waiting.get(id);
    thread.waiting.delete(id);
    if (thread.waiting.size === 0) worker.unref();
    if (failure === undefined) waiting?.resolve(hex);
    else waiting?.reject(new Error(failure));
  });
  worker.on('error', error => failAll(error as Error));
  worker.on('exit', () => failAll(new Error('the hashing thread has ended')));
  worker.unref();
  return thread;
}

type Bare<T> = T extends { readonly id: number } ? Omit<T, 'id'> : never;

export function openHashPool(options: HashPoolOptions = {}): HashPool {
  const size = options.size ?? Math.min(4, Math.max(2, availableParallelism() - 1));
  const url = options.workerUrl ?? new URL('./hash-worker.ts', import.meta.url);
  const threads: Thread[] = [];
  let lastId = 0;
  let isClosed = false;

  function pickThread(): Thread {
    const idle = threads.find(thread => thread.digests === 0);
    if (idle) return idle;
    if (threads.length < size) {
      const thread = openThread(url);
      threads.push(thread);
      return thread;
    }
    return threads.reduce((least, thread) => (thread.digests < least.digests ? thread : least));
  }

  const ask = (thread: Thread, task: Bare<HashTask>): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      thread.waiting.set(lastId, { resolve, reject });
      thread.worker.ref();
      thread.worker.postMessage({ ...task, id: lastId });
    });

  function openDigest(): FileDigest {
    if (isClosed) throw new Error('the hashing threads have been closed');
    const thread = pickThread();
    thread.digests += 1;
    lastId += 1;
    const digest = lastId;
    let isOpen = true;
    const close = (): void => {
      if (isOpen) thread.digests -= 1;
      isOpen = false;
    };
    return {
      async extend(fd, start, end, signal) {
        for (let from = start; from < end; from += stepBytes) {
          signal?.throwIfAborted();
          await ask(thread, { kind: 'extend', digest, fd, start: from, end: Math.min(end, from + stepBytes) });
        }
      },
      async finish() {
        close();
        return `sha256:${await ask(thread, { kind: 'finish', digest })}`;
      },
      drop() {
        if (isOpen) void ask(thread, { kind: 'drop', digest }).catch(() => undefined);
        close();
      },
    };
  }

  return {
    size,
    openDigest,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}
