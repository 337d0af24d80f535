// Runs in a worker thread: digests, seals and stores the chunks whose blocks the main thread hands over as they arrive.
// Many chunks are on their way at once, each fed by questions of its own, one after the other.
import { parentPort } from 'node:worker_threads';
import type { Answer, Question } from '@recordproof/shared/node/threads.ts';
import { PutCheck } from '../objects/checked-stream.ts';
import { storeAt } from '../objects/disk-write.ts';
import { type ObjectPlace, ObjectStoreError } from '../objects/object-store.ts';
import { type ChunkForm, type TakenIn, takeIn } from './take-in.ts';
import { toFailure } from './thread-failure.ts';

type Begin = { readonly place: ObjectPlace; readonly size: number; readonly form: ChunkForm };

export type IntakeTask =
  | {
      readonly kind: 'blocks';
      readonly chunk: number;
      /** With the first blocks of a chunk. */
      readonly begin?: Begin | undefined;
      readonly blocks: readonly Uint8Array[];
      readonly isLast: boolean;
    }
  | { readonly kind: 'drop'; readonly chunk: number };

export type IntakeAnswer =
  | { readonly kind: 'taken' | 'dropped' }
  | { readonly kind: 'stored'; readonly takenIn: TakenIn };

type Batch = { readonly blocks: readonly Uint8Array[]; readonly isLast: boolean; taken(): void };

/** The blocks of one chunk, as a stream. */
class Feed {
  #next = Promise.withResolvers<Batch>();

  constructor() {
    this.#next.promise.catch(() => undefined); // whoever stores hears of it, if anybody still does
  }

  /** Resolves when all of them were taken; call it then again, not before. */
  give(blocks: readonly Uint8Array[], isLast: boolean): Promise<void> {
    return new Promise(taken => this.#next.resolve({ blocks, isLast, taken }));
  }

  breakOff(): void {
    this.#next.reject(new ObjectStoreError('ABORTED', 'the caller gave up on this transfer'));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const { blocks, isLast, taken } = await this.#next.promise;
      this.#next = Promise.withResolvers();
      this.#next.promise.catch(() => undefined);
      yield* blocks;
      taken();
      if (isLast) return;
    }
  }
}

type Chunk = { readonly feed: Feed; readonly outcome: Promise<TakenIn> };
const chunks = new Map<number, Chunk>();

function beginChunk(id: number, { place, size, form }: Begin): Chunk {
  const feed = new Feed();
  const check = new PutCheck({ size });
  const store = (bytes: AsyncIterable<Uint8Array>) =>
    storeAt(place, bytes, check, { ownsBlocks: true, blocking: true });
  const outcome = takeIn(form, feed, { ownsBlocks: true, store });
  outcome.catch(() => undefined); // told with the next question
  const chunk = { feed, outcome };
  chunks.set(id, chunk);
  return chunk;
}

/** A chunk that failed stays until it is dropped, so that whoever goes on feeding it hears why. */
async function perform(task: IntakeTask): Promise<IntakeAnswer> {
  if (task.kind === 'drop') {
    const dropped = chunks.get(task.chunk);
    chunks.delete(task.chunk);
    dropped?.feed.breakOff();
    await dropped?.outcome.catch(() => undefined);
    return { kind: 'dropped' };
  }
  const chunk = task.begin ? beginChunk(task.chunk, task.begin) : chunks.get(task.chunk);
  if (!chunk) throw new ObjectStoreError('FAILED', 'this chunk has ended');
  const { feed, outcome } = chunk;
  const taken = feed.give(task.blocks, task.isLast);
  if (!task.isLast) {
    await Promise.race([taken, outcome]); // a disk may fail before it has taken them
    return { kind: 'taken' };
  }
  const takenIn = await outcome;
  chunks.delete(task.chunk);
  return { kind: 'stored', takenIn };
}

async function reply(task: IntakeTask & Question): Promise<Answer<IntakeAnswer>> {
  try {
    return { id: task.id, answer: await perform(task) };
  } catch (error) {
    return { id: task.id, failure: toFailure(error) };
  }
}

parentPort?.on('message', async (task: IntakeTask & Question) => parentPort?.postMessage(await reply(task)));
