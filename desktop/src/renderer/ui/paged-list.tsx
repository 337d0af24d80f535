// Paged list in each of its states: loading, failed, empty, loaded, and with more pages.
import type { ReactNode } from 'react';
import { useTexts } from '../context.ts';
import { Button } from './button.tsx';
import type { usePages } from './hooks.ts';
import { FailedState, Loading } from './states.tsx';

type Listing<T> = {
  readonly of: ReturnType<typeof usePages<T>>;
  readonly empty: ReactNode;
  readonly children: (records: readonly T[]) => ReactNode;
};

export function PagedList<T>({ of: { state, reload, more }, empty, children }: Listing<T>) {
  const texts = useTexts();
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <FailedState error={state.error} again={reload} />;
  const { records, hasMore } = state.value;
  if (records.length === 0) return empty;
  return (
    <div className="scroll">
      {children(records)}
      {hasMore && <Button label={texts.more} variant="plain" onClick={more} />}
    </div>
  );
}
