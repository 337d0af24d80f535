// Intake of chunks into the store: digested, imprinted or sealed, and durable. On disk stores large chunks go to a
// worker thread, so that the main thread only receives; others are streamed through this one.
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { openThreads, type ThreadCode } from '@recordproof/shared/node/threads.ts';
import { isWholeBlock } from '@recordproof/shared/node/whole-block.ts';
import { incoming } from '../objects/checked-stream.ts';
import type { ObjectFiles, ObjectStore } from '../objects/object-store.ts';
import type { Begin, IntakeAnswer, IntakeTask } from './intake-thread.ts';
import { intakeThreadCode } from './intake-thread-code.ts';
import { type ChunkForm, type StoredStream, storeStream } from './store-stream.ts';
import { rethrow } from './thread-failure.ts';

export type IncomingChunk = {
  readonly key: string;
  /** Size of the stored bytes; any other fails with LENGTH_MISMATCH. */
  readonly size: number;
  readonly form: ChunkForm;
  readonly source: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  /** True if the intake may keep and free the blocks. */
  readonly ownsBlocks: boolean;
};

export type Intake = AsyncDisposable & {
  /** Same promises and errors as the store's `put`. */
  store(chunk: IncomingChunk): Promise<StoredStream>;
};

type Threads = ReturnType<typeof openThreads<IntakeTask, IntakeAnswer>>;
type Lane = ReturnType<Threads['openLane']>;

/** Smaller chunks are stored faster than a thread starts. */
const leastForThreads = 1024 * 1024;
/** At least two even on one processor: one digests while the other waits for the disk. */
const mostThreads = Math.max(2, Math.min(4, availableParallelism()));
/** Bytes per message: waking the thread costs as much as several blocks. */
const batchBytes = 1024 * 1024;

export function openIntake(objects: ObjectStore, code: ThreadCode = intakeThreadCode()): Intake {
  const { files } = objects;
  if (!files) return { store: chunk => streamIn(objects, chunk), [Symbol.asyncDispose]: async () => undefined };
  const threads = openThreads<IntakeTask, IntakeAnswer>(code, mostThreads);
  let chunks = 0;
  return {
    store(chunk) {
      if (chunk.size < leastForThreads) return streamIn(objects, chunk);
      chunks += 1;
      return handOver({ files, threads, id: chunks }, chunk);
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}

function streamIn(objects: ObjectStore, { key, size, form, source, signal, ownsBlocks }: IncomingChunk) {
  const store = (bytes: AsyncIterable<Uint8Array>) =>
    objects.put(key, bytes, { size, signal, ownsBlocks: ownsBlocks || form.kind === 'sealed' });
  return storeStream(form, source, { ownsBlocks, store });
}

type Ways = { readonly files: ObjectFiles; readonly threads: Threads; readonly id: number };

async function handOver({ files, threads, id }: Ways, chunk: IncomingChunk): Promise<StoredStream> {
  const paths = await files.prepare(chunk.key);
  using lane = threads.openLane();
  const sender = new Sender(lane, id, { paths, size: chunk.size, form: chunk.form });
  try {
    return await sendAll(sender, chunk);
  } catch (error) {
    const isDropped = await sender.drop();
    if (!isDropped) await rm(paths.temporary, { force: true }).catch(() => undefined);
    return rethrow(error);
  }
}

/** Collects one batch while the thread consumes the previous one. */
async function sendAll(sender: Sender, { source, signal, ownsBlocks }: IncomingChunk): Promise<StoredStream> {
  let blocks: Uint8Array[] = [];
  let bytes = 0;
  for await (const block of incoming(source, signal)) {
    if (bytes >= batchBytes) {
      await sender.send(blocks, false);
      blocks = [];
      bytes = 0;
    }
    blocks.push(ownsBlocks && isWholeBlock(block) ? block : new Uint8Array(block));
    bytes += block.length;
  }
  await sender.send(blocks, true);
  return sender.finish();
}

/** Caller side of hand-over.ts: at most one batch is unanswered, and a begun chunk is either stored or dropped. */
class Sender {
  readonly #lane: Lane;
  readonly #id: number;
  readonly #begin: Begin;
  #answer: Promise<IntakeAnswer> | undefined;

  constructor(lane: Lane, id: number, begin: Begin) {
    this.#lane = lane;
    this.#id = id;
    this.#begin = begin;
  }

  /** Resolves when the batch is sent and the previous one was consumed. */
  async send(blocks: readonly Uint8Array[], isLast: boolean): Promise<void> {
    const begin = this.#answer ? undefined : this.#begin;
    await this.#answer;
    const transferred = blocks.map(block => block.buffer as ArrayBuffer);
    this.#answer = this.#lane.ask({ kind: 'blocks', chunk: this.#id, begin, blocks, isLast }, transferred);
    this.#answer.catch(() => undefined); // handled by the next step
  }

  async finish(): Promise<StoredStream> {
    const answer = await this.#answer;
    if (answer?.kind !== 'stored')
      throw new Error(
        `internal: the intake thread answered "${answer?.kind ?? 'nothing'}" for chunk ${this.#id}, not "stored"`,
      );
    return answer.takenIn;
  }

  /** Whether the thread has released the chunk: a thread that has died leaves its temporary file. */
  async drop(): Promise<boolean> {
    if (!this.#answer) return true;
    const dropping = this.#lane.ask({ kind: 'drop', chunk: this.#id });
    const [dropped] = await Promise.allSettled([dropping, this.#answer]);
    return dropped.status === 'fulfilled';
  }
}
