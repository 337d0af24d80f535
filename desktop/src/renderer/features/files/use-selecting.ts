// Selection in a list of files: one, a range from the last toggled one, or all. Files that are not loaded yet are
// fetched first, so that a selection always has the record of each.
import type { File } from '@recordproof/shared/api/files.ts';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { FilePages } from './file-pages.ts';

export type Selecting = {
  /** Null while nothing is fetched. */
  readonly progress: { readonly fetched: number; readonly total: number } | null;
  readonly error: unknown;
  turn(index: number, file: File): void;
  /** From the anchor, or from `from` where there is none. */
  extendTo(index: number, from: number): void;
  selectAll(): void;
  clear(): void;
  /** The next range begins elsewhere. */
  release(): void;
};

type Anchor = { readonly index: number; readonly base: Selection };

export function useSelecting(
  pages: FilePages,
  selection: Selection,
  choose: (change: SelectionChange) => void,
): Selecting {
  const [progress, setProgress] = useState<Selecting['progress']>(null);
  const [error, setError] = useState<unknown>(null);
  const latest = useRef(selection);
  latest.current = selection;
  const anchor = useRef<Anchor | null>(null);
  const fetching = useRef<AbortController>(undefined);
  const actions = useMemo(() => {
    const stop = () => {
      fetching.current?.abort();
      setProgress(null);
      setError(null);
    };
    async function extend(first: number, last: number, base: Selection): Promise<void> {
      stop();
      const controller = new AbortController();
      fetching.current = controller;
      const onProgress = (fetched: number) => setProgress({ fetched, total: last - first + 1 });
      try {
        const files = await pages.fetchRange(first, last, { signal: controller.signal, onProgress });
        if (!controller.signal.aborted) choose({ kind: 'extend', base, files });
      } catch (failure) {
        if (!controller.signal.aborted) setError(failure);
      } finally {
        if (!controller.signal.aborted) setProgress(null);
      }
    }
    return {
      stop,
      turn(index: number, file: File) {
        stop();
        anchor.current = { index, base: turn(latest.current, file) };
        choose({ kind: 'turn', file });
      },
      extendTo(index: number, from: number) {
        anchor.current ??= { index: from, base: latest.current };
        const { index: start, base } = anchor.current;
        void extend(Math.min(start, index), Math.max(start, index), base);
      },
      selectAll: () => void extend(0, pages.known.get().total - 1, noSelection),
      clear() {
        stop();
        anchor.current = null;
        choose({ kind: 'clear' });
      },
      release() {
        anchor.current = null;
      },
    };
  }, [pages, choose]);
  useEffect(() => {
    anchor.current = null;
    return actions.stop;
  }, [actions]);
  return { ...actions, progress, error };
}

export type Selection = ReadonlyMap<string, File>;

type SelectionChange =
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
