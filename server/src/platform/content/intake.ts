// Chunks on their way into the store: digested, imprinted or sealed, and durable. Where objects are files of this machine,
// large chunks go to a thread, and the main thread is left with receiving; the others are streamed through this one.
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { isWholeBlock } from '@recordproof/shared/node/free-block.ts';
import { openThreads, type ThreadCode } from '@recordproof/shared/node/threads.ts';
import { incoming } from '../objects/checked-stream.ts';
import type { ObjectFiles, ObjectStore } from '../objects/object-store.ts';
import type { Begin, IntakeAnswer, IntakeTask } from './intake-thread.ts';
import { intakeThreadCode } from './intake-thread-code.ts';
import { type ChunkForm, type TakenIn, takeIn } from './take-in.ts';
import { rethrow } from './thread-failure.ts';

export type IncomingChunk = {
  readonly key: string;
  /** Of the stored bytes. Another length fails with LENGTH_MISMATCH. */
  readonly size: number;
  readonly form: ChunkForm;
  readonly source: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  /** Whether nobody else has a use for the blocks. */
  readonly ownsBlocks: boolean;
};

export type Intake = AsyncDisposable & {
  /** As `put` of the store, and fails as that does. */
  store(chunk: IncomingChunk): Promise<TakenIn>;
};

type Threads = ReturnType<typeof openThreads<IntakeTask, IntakeAnswer>>;
type Lane = ReturnType<Threads['openLane']>;

/** Less is stored in less time than a thread takes to start. */
const leastForThreads = 1024 * 1024;
/** Two also where there is one processor: while one waits for its disk, the other digests. */
const mostThreads = Math.max(2, Math.min(4, availableParallelism()));
/** What one question carries: waking the thread costs as much as some blocks do. */
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
  return takeIn(form, source, { ownsBlocks, store });
}

type Ways = { readonly files: ObjectFiles; readonly threads: Threads; readonly id: number };

async function handOver({ files, threads, id }: Ways, chunk: IncomingChunk): Promise<TakenIn> {
  const place = await files.prepare(chunk.key);
  using lane = threads.openLane();
  const sender = new Sender(lane, id, { place, size: chunk.size, form: chunk.form });
  try {
    return await sendAll(sender, chunk);
  } catch (error) {
    const isDropped = await sender.drop();
    if (!isDropped) await rm(place.temporary, { force: true }).catch(() => undefined);
    return rethrow(error);
  }
}

/** One batch is gathered while the thread takes the one before. */
async function sendAll(sender: Sender, { source, signal, ownsBlocks }: IncomingChunk): Promise<TakenIn> {
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

/** The caller's side of hand-over.ts: at most one batch is unanswered, and a chunk that was begun is either stored or dropped. */
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

  /** Resolves when the batch is on its way, and the one before was taken. */
  async send(blocks: readonly Uint8Array[], isLast: boolean): Promise<void> {
    const begin = this.#answer ? undefined : this.#begin;
    await this.#answer;
    const transferred = blocks.map(block => block.buffer as ArrayBuffer);
    this.#answer = this.#lane.ask({ kind: 'blocks', chunk: this.#id, begin, blocks, isLast }, transferred);
    this.#answer.catch(() => undefined); // awaited by the next step, whichever that is
  }

  async finish(): Promise<TakenIn> {
    const answer = await this.#answer;
    if (answer?.kind !== 'stored') throw new Error('the intake thread answered another question');
    return answer.takenIn;
  }

  /** Whether the thread has let go of the chunk: a thread that has ended leaves its temporary file. */
  async drop(): Promise<boolean> {
    if (!this.#answer) return true;
    const dropping = this.#lane.ask({ kind: 'drop', chunk: this.#id });
    const [dropped] = await Promise.allSettled([dropping, this.#answer]);
    return dropped.status === 'fulfilled';
  }
}
