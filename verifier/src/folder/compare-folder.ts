// Comparison of a sealed list with a folder: both are streamed in the same order.
import { comparePaths, type FolderEntry } from '@recordproof/shared/evidence/folder-list.ts';
import type { HashedFile } from '@recordproof/shared/node/hash-folder.ts';

type FileVerdict = 'same' | 'changed' | 'missing' | 'added' | 'unreadable';
export type ComparedFile = { readonly path: string; readonly verdict: FileVerdict };
export type OnFile = (file: ComparedFile) => void;

export type FileCounts = Record<FileVerdict, number> & {
  /** Links, and what is neither file nor folder: a seal does not cover them. */
  leftOut: number;
};

export const noFiles = (): FileCounts => ({ same: 0, changed: 0, missing: 0, added: 0, unreadable: 0, leftOut: 0 });

export async function compareFolder(
  sealed: AsyncIterable<readonly FolderEntry[]>,
  present: AsyncIterable<readonly HashedFile[]>,
  onFile: OnFile,
): Promise<FileCounts> {
  const counts = noFiles();
  const report = (path: string, verdict: FileVerdict): void => {
    counts[verdict] += 1;
    onFile({ path, verdict });
  };
  const list = new Cursor(sealed);
  await using tree = new Cursor(present);
  for (;;) {
    const entry = list.current ?? (await list.fill());
    const file = tree.current ?? (await tree.fill());
    if (entry === undefined && file === undefined) return counts;
    const verdict = file?.kind === 'other' ? undefined : compare(entry, file);
    if (verdict === undefined) counts.leftOut += 1;
    else report((verdict.of === 'tree' ? file : entry)?.path ?? '', verdict.is);
    if (verdict?.of !== 'tree' && verdict !== undefined) list.step();
    if (verdict?.of !== 'list') tree.step();
  }
}

type Compared = {
  /** The side to advance. */
  readonly of: 'list' | 'tree' | 'both';
  readonly is: FileVerdict;
};

type Present = Exclude<HashedFile, { kind: 'other' }>;

function compare(entry: FolderEntry | undefined, file: Present | undefined): Compared {
  // A name that is invalid in lists is in none.
  if (file?.kind === 'unfit') return { of: 'tree', is: 'added' };
  const order = entry === undefined ? 1 : file === undefined ? -1 : comparePaths(entry.path, file.path);
  if (order < 0 || file === undefined) return { of: 'list', is: 'missing' };
  if (order > 0 || entry === undefined)
    return { of: 'tree', is: file.kind === 'problem' && file.problem === 'unreadable' ? 'unreadable' : 'added' };
  return { of: 'both', is: judge(entry, file) };
}

function judge(entry: FolderEntry, file: Present): FileVerdict {
  if (file.kind === 'hashed') return file.size === entry.size && file.sha256 === entry.sha256 ? 'same' : 'changed';
  const isAway = file.kind === 'problem' && (file.problem === 'gone' || file.problem === 'other');
  return isAway ? 'missing' : 'unreadable';
}

/** Iterates over batches item by item, without awaiting unless necessary. */
class Cursor<T> implements AsyncDisposable {
  readonly #batches: AsyncIterator<readonly T[]>;
  #batch: readonly T[] = [];
  #at = 0;

  constructor(batches: AsyncIterable<readonly T[]>) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  /** Undefined if it has to be filled, or has ended. */
  get current(): T | undefined {
    return this.#batch[this.#at];
  }

  step(): void {
    this.#at += 1;
  }

  async fill(): Promise<T | undefined> {
    while (this.#at >= this.#batch.length) {
      const next = await this.#batches.next();
      if (next.done === true) return undefined;
      [this.#batch, this.#at] = [next.value, 0];
    }
    return this.current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batches.return?.();
  }
}
