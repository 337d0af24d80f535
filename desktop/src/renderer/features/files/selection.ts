// Selection of files, by their records: it survives scrolling and sorting.
import type { File } from '@recordproof/shared/api/files.ts';

export type Selection = ReadonlyMap<string, File>;

export type SelectionChange =
  | { readonly kind: 'turn'; readonly file: File }
  | { readonly kind: 'add'; readonly files: readonly File[] }
  | { readonly kind: 'clear' };

export const noSelection: Selection = new Map();

export function changeSelection(selection: Selection, change: SelectionChange): Selection {
  if (change.kind === 'clear') return noSelection;
  const next = new Map(selection);
  if (change.kind === 'add') for (const file of change.files) next.set(file.fileHash, file);
  else if (!next.delete(change.file.fileHash)) next.set(change.file.fileHash, change.file);
  return next;
}
