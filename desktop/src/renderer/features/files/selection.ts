// Selection of files, by their records: it survives scrolling and sorting, and ends with the list that it was made in.
import type { File } from '@recordproof/shared/api/files.ts';

export type Selection = ReadonlyMap<string, File>;

export type SelectionChange =
  | { readonly kind: 'turn'; readonly file: File }
  /** `base` and these, and nothing else. */
  | { readonly kind: 'extend'; readonly base: Selection; readonly files: readonly File[] }
  | { readonly kind: 'remove'; readonly files: readonly File[] }
  | { readonly kind: 'clear' };

export const noSelection: Selection = new Map();

export function changeSelection(selection: Selection, change: SelectionChange): Selection {
  switch (change.kind) {
    case 'clear':
      return noSelection;
    case 'turn':
      return turn(selection, change.file);
    case 'extend':
      return new Map([...change.base, ...change.files.map(file => [file.fileHash, file] as const)]);
    case 'remove': {
      const removed = new Set(change.files.map(({ fileHash }) => fileHash));
      return new Map([...selection].filter(([hash]) => !removed.has(hash)));
    }
  }
}

export function turn(selection: Selection, file: File): Selection {
  const next = new Map(selection);
  if (!next.delete(file.fileHash)) next.set(file.fileHash, file);
  return next;
}
