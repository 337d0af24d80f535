// Something from the server that a screen shows, and what is to be shown until it is there.
import { useCallback, useEffect, useRef, useState } from 'react';

type Loaded<T> =
  | { readonly kind: 'loading' }
  /** With what a later look failed with, where the screen keeps the one before. */
  | { readonly kind: 'ready'; readonly value: T; readonly error?: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Asked for anew whenever `key` changes. `reload` keeps what is shown until the new is there; one that fails takes its
 * place, but for screens that look again by themselves and keep what they have.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { keeps = false }: { readonly keeps?: boolean } = {},
): { readonly state: Loaded<T>; readonly reload: () => void } {
  const [state, setState] = useState<Loaded<T>>({ kind: 'loading' });
  const latest = useRef(load);
  latest.current = load;
  const asking = useRef<AbortController>(undefined);

  const ask = useCallback(() => {
    asking.current?.abort();
    const stop = new AbortController();
    asking.current = stop;
    latest.current(stop.signal).then(
      value => !stop.signal.aborted && setState({ kind: 'ready', value }),
      error =>
        !stop.signal.aborted &&
        setState(seen => (keeps && seen.kind === 'ready' ? { ...seen, error } : { kind: 'failed', error })),
    );
  }, [keeps]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what is asked for
  useEffect(() => {
    setState({ kind: 'loading' });
    ask();
    return () => asking.current?.abort();
  }, [key, ask]);
  return { state, reload: ask };
}
