// Every file below a folder with its size and SHA-256, in the order of a folder list, hashed on a few threads. Work in
// progress is bounded, so memory does not grow with the folder.
import type { FolderEntry } from '../evidence/folder-list.ts';
import type { FileOutcome, FileProblem, HashFilesTask } from './file-hash-thread.mjs';
import { fileHashThreadCode } from './file-hash-thread-code.ts';
import { openThreads } from './threads.ts';
import { type Walked, walkFolder } from './walk-folder.ts';

export type HashedFile =
  | ({ readonly kind: 'hashed' } & FolderEntry)
  | { readonly kind: 'problem'; readonly path: string; readonly problem: FileProblem }
  | Extract<Walked, { kind: 'other' | 'unfit' }>;

/** Small enough for a few per thread to be in progress, large enough to make the messages cheap. */
const batchSize = 128;
const batchesAhead = 16;

type HashFolderOptions = { readonly signal?: AbortSignal | undefined };

export async function* hashFolder(folder: string, { signal }: HashFolderOptions = {}): AsyncGenerator<HashedFile[]> {
  await using threads = openThreads<HashFilesTask, FileOutcome[]>(fileHashThreadCode());
  const hash = async (paths: readonly string[]): Promise<FileOutcome[]> => {
    if (paths.length === 0) return [];
    using lane = threads.openLane();
    const outcomes = await lane.ask({ paths });
    return [...outcomes, ...(await hashApart(paths.slice(outcomes.length), hash))];
  };
  const aborted = rejectOn(signal);
  const ahead: Promise<HashedFile[]>[] = [];
  for (const batch of toBatches(walkFolder(folder))) {
    const hashing = hashBatch(batch, hash);
    // After an early exit, hashing in progress has no listener.
    hashing.catch(() => {});
    ahead.push(hashing);
    if (ahead.length >= batchesAhead) yield (await Promise.race([ahead.shift(), aborted])) ?? [];
  }
  for (const hashing of ahead) yield await Promise.race([hashing, aborted]);
}

/** Rejects on abort, without waiting for a large file. */
function rejectOn(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  if (signal?.aborted) reject(signal.reason);
  else signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

function* toBatches(walked: Iterable<Walked>): Generator<Walked[]> {
  let batch: Walked[] = [];
  for (const one of walked) {
    batch.push(one);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type HashAll = (paths: readonly string[]) => Promise<FileOutcome[]>;

/** Large files are returned here to be split across threads. */
async function hashApart(paths: readonly string[], hash: HashAll): Promise<FileOutcome[]> {
  const middle = Math.ceil(paths.length / 2);
  return (await Promise.all([hash(paths.slice(0, middle)), hash(paths.slice(middle))])).flat();
}

async function hashBatch(batch: readonly Walked[], hash: HashAll): Promise<HashedFile[]> {
  const outcomes = (await hash(batch.flatMap(one => (one.kind === 'file' ? one.diskPath : [])))).values();
  return batch.map(one => {
    if (one.kind === 'other' || one.kind === 'unfit') return one;
    const { path } = one;
    if (one.kind === 'unreadable') return { kind: 'problem', path, problem: 'unreadable' };
    const outcome = outcomes.next().value ?? { problem: 'unreadable' };
    return 'problem' in outcome ? { kind: 'problem', path, ...outcome } : { kind: 'hashed', path, ...outcome };
  });
}
