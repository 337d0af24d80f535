// Paged list in each of its states: loading, failed, empty, loaded, and with more pages.
import type { ReactNode } from 'react';
import { useTexts } from '../context.ts';
import { Button } from './button.tsx';
import type { usePages } from './hooks.ts';
import { FailedState, Loading } from './states.tsx';

type Listing<T> = {
  readonly of: ReturnType<typeof usePages<T>>;
  readonly empty: ReactNode;
  /** The field that identifies a record. */
  readonly by: keyof T;
  readonly className: string;
  readonly label?: string;
  /** What surrounds the list. */
  readonly frame?: (list: ReactNode) => ReactNode;
  readonly children: (record: T, at: number, records: readonly T[]) => ReactNode;
};

export function PagedList<T>({ of: { state, reload, more }, empty, frame = list => list, ...listing }: Listing<T>) {
  const { by, className, label, children } = listing;
  const texts = useTexts();
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <FailedState error={state.error} again={reload} />;
  const { records, hasMore } = state.value;
  if (records.length === 0) return empty;
  const list = (
    <ul className={className} aria-label={label}>
      {records.map((record, at) => (
        <li key={String(record[by])}>{children(record, at, records)}</li>
      ))}
    </ul>
  );
  return (
    <div className="scroll">
      {frame(list)}
      {hasMore && <Button label={texts.more} variant="plain" onClick={more} />}
    </div>
  );
}
