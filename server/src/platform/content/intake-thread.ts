// Worker thread of the intake: digests, seals and stores the chunks whose blocks the main thread passes on. It
// processes many chunks at once, each by its own sequence of messages (hand-over.ts).
import { answerQuestions } from '@recordproof/shared/node/threads.ts';
import { PutCheck } from '../objects/checked-stream.ts';
import { storeAt } from '../objects/disk-write.ts';
import { type ObjectPaths, ObjectStoreError } from '../objects/object-store.ts';
import { HandOver } from './hand-over.ts';
import { type ChunkForm, type StoredStream, storeStream } from './store-stream.ts';
import { toFailure } from './thread-failure.ts';

export type Begin = { readonly paths: ObjectPaths; readonly size: number; readonly form: ChunkForm };

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
  | { readonly kind: 'stored'; readonly takenIn: StoredStream };

type Chunk = { readonly handOver: HandOver; readonly outcome: Promise<StoredStream> };
const chunks = new Map<number, Chunk>();

/** Only `storeAt` uses the file, and closes it before `outcome` settles; the stream it reads always ends. */
function beginChunk(id: number, { paths, size, form }: Begin): Chunk {
  const handOver = new HandOver();
  const check = new PutCheck({ size });
  const store = (bytes: AsyncIterable<Uint8Array>) =>
    storeAt(paths, bytes, check, { ownsBlocks: true, blocking: true });
  const outcome = storeStream(form, handOver.blocks(), { ownsBlocks: true, store }).finally(() => handOver.end());
  outcome.catch(() => undefined); // reported in reply to the next message
  const chunk = { handOver, outcome };
  chunks.set(id, chunk);
  return chunk;
}

async function drop(id: number): Promise<IntakeAnswer> {
  const chunk = chunks.get(id);
  chunks.delete(id);
  chunk?.handOver.breakOff();
  await chunk?.outcome.catch(() => undefined);
  return { kind: 'dropped' };
}

/** A failed chunk is kept until it is dropped, so that a caller that continues gets the error. */
async function perform(task: IntakeTask): Promise<IntakeAnswer> {
  if (task.kind === 'drop') return drop(task.chunk);
  const chunk = task.begin ? beginChunk(task.chunk, task.begin) : chunks.get(task.chunk);
  if (!chunk) throw new ObjectStoreError('FAILED', `chunk ${task.chunk} has ended`);
  const { handOver, outcome } = chunk;
  await handOver.give(task.blocks, task.isLast);
  if (!task.isLast && handOver.state.kind !== 'ended') return { kind: 'taken' };
  const takenIn = await outcome;
  chunks.delete(task.chunk);
  return { kind: 'stored', takenIn };
}

answerQuestions<IntakeTask, IntakeAnswer>({ perform, toFailure });
