// A pool of worker threads that answer one question at a time. A thread starts when there is work for it and does not
// keep the process alive while idle.
import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';

type Question = { readonly id: number };
type Answer<A> = { readonly id: number; readonly answer?: A; readonly failure?: unknown };

/** The code of a thread: a file or, in a single-file program, the code itself. */
export type ThreadCode = URL | { readonly source: string };

/** One thread for as long as its tasks belong together. */
type Lane<T, A> = Disposable & {
  /** Transferred buffers belong to the thread afterwards. */
  ask(task: T, transferred?: readonly ArrayBuffer[]): Promise<A>;
};

type Threads<T, A> = AsyncDisposable & {
  readonly size: number;
  openLane(): Lane<T, A>;
};

type Waiting<A> = { resolve(answer: A): void; reject(failure: unknown): void };
type Thread<A> = {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting<A>>;
  lanes: number;
  hasEnded: boolean;
};

const ended = (): Error => new Error('the thread has ended');

/** `workerData` is the initial data of the thread. */
export const startThread = (code: ThreadCode, workerData?: unknown): Worker => {
  const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };
  const options = { resourceLimits, execArgv: [], workerData };
  return code instanceof URL ? new Worker(code, options) : new Worker(code.source, { ...options, eval: true });
};

function openThread<A>(code: ThreadCode): Thread<A> {
  const worker = startThread(code);
  const thread: Thread<A> = { worker, waiting: new Map(), lanes: 0, hasEnded: false };
  const failAll = (error: Error): void => {
    for (const { reject } of thread.waiting.values()) reject(error);
    thread.waiting.clear();
  };
  worker.on('message', ({ id, answer, failure }: Answer<A>) => {
    const waiting = thread.waiting.get(id);
    thread.waiting.delete(id);
    if (thread.waiting.size === 0) worker.unref();
    if (failure === undefined) waiting?.resolve(answer as A);
    else waiting?.reject(failure);
  });
  worker.on('error', error => failAll(error as Error));
  worker.on('exit', () => {
    thread.hasEnded = true;
    failAll(ended());
  });
  worker.unref();
  return thread;
}

/** The default number of threads. */
export const threadCount = Math.min(4, Math.max(2, availableParallelism() - 1));

export function openThreads<T extends object, A>(code: ThreadCode, size: number = threadCount): Threads<T, A> {
  let threads: Thread<A>[] = [];
  let lastId = 0;
  let isClosed = false;

  function pickThread(): Thread<A> {
    const idle = threads.find(thread => thread.lanes === 0);
    if (idle) return idle;
    if (threads.length < size) {
      const thread = openThread<A>(code);
      threads.push(thread);
      thread.worker.on('exit', () => {
        threads = threads.filter(other => other !== thread);
      });
      return thread;
    }
    return threads.reduce((least, thread) => (thread.lanes < least.lanes ? thread : least));
  }

  const ask = (thread: Thread<A>, task: T, transferred: readonly ArrayBuffer[]): Promise<A> =>
    new Promise((resolve, reject) => {
      if (thread.hasEnded) return reject(ended());
      lastId += 1;
      thread.waiting.set(lastId, { resolve, reject });
      thread.worker.ref();
      thread.worker.postMessage({ ...task, id: lastId }, transferred);
    });

  return {
    size,
    openLane() {
      if (isClosed) throw new Error('the threads have been closed');
      const thread = pickThread();
      thread.lanes += 1;
      let isOpen = true;
      return {
        ask: (task, transferred = []) => ask(thread, task, transferred),
        [Symbol.dispose]() {
          if (isOpen) thread.lanes -= 1;
          isOpen = false;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

type Answering<T, A> = {
  readonly perform: (task: T) => A | Promise<A>;
  /** Errors lose their class between threads: their serialization, if the caller distinguishes them. */
  readonly toFailure?: (error: unknown) => unknown;
  /** One question after the other, where answers share resources. */
  readonly isSequential?: boolean;
};

/** The thread's side: answers every question. */
export function answerQuestions<T, A>({ perform, toFailure, isSequential }: Answering<T, A>): void {
  const reply = async (task: T & Question): Promise<Answer<unknown>> => {
    try {
      return { id: task.id, answer: await perform(task) };
    } catch (error) {
      return { id: task.id, failure: toFailure ? toFailure(error) : error };
    }
  };
  // Without its value: an answer may have keys, and is not kept until the next question.
  const answer = async (task: T & Question): Promise<void> => parentPort?.postMessage(await reply(task));
  let last: Promise<void> = Promise.resolve();
  parentPort?.on('message', (task: T & Question) => {
    last = isSequential ? last.then(() => answer(task)) : answer(task);
  });
}
