// Hooks of the screens: values loaded from the server, pages of lists, events, polling, typing and actions.

import type { Page } from '@recordproof/shared/api/common.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useBridge } from '../context.ts';

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

const pageSize = 50;
/** More than anybody reads to the end, and few enough to be asked for at once. */
const mostPages = 20;

type PageOf = { readonly page: number; readonly size: number };
type Pages<T> = {
  readonly state: ReturnType<typeof useLoad<{ readonly records: readonly T[]; readonly hasMore: boolean }>>['state'];
  readonly reload: () => void;
  readonly more: () => void;
};

/** A list that is read page by page, as far as the person has asked for. */
export function usePages<T>(key: string, load: (page: PageOf, signal: AbortSignal) => Promise<Page<T>>): Pages<T> {
  const [count, setCount] = useState(1);
  const { state, reload } = useLoad(key, async signal => {
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const pages = await Promise.all(numbers.map(page => load({ page, size: pageSize }, signal)));
    const records = pages.flatMap(page => page.records);
    return { records, hasMore: count < mostPages && records.length < (pages[0]?.total ?? 0) };
  });
  useEffect(() => {
    if (count > 1) reload();
  }, [count, reload]);
  return { state, reload, more: () => setCount(now => now + 1) };
}

const coalesceMs = 250;

/** Calls back soon after something of these has happened, once for many, and when events may have been missed. */
export function useEvents(types: readonly ServerEvent['type'][], happened: () => void): void {
  const { events } = useBridge();
  const latest = useRef(happened);
  latest.current = happened;
  const wanted = types.join(' ');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = events.listen(event => {
      const isMissed = event.type === 'connected' && event.payload.missed;
      if (!isMissed && !wanted.split(' ').includes(event.type)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, coalesceMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [events, wanted]);
}

/** Again and again while the page can be seen; at once when it is looked at again. Null rests. */
export function usePolling(milliseconds: number | null, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (milliseconds === null) return;
    const look = () => {
      if (document.visibilityState === 'visible') latest.current();
    };
    const timer = setInterval(look, milliseconds);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [milliseconds]);
}

const typingMs = 120;

/** What was typed, once the person has paused. */
export function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), typingMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

type Action<A extends unknown[]> = {
  readonly run: (...given: A) => Promise<void>;
  readonly isBusy: boolean;
  readonly error: unknown;
};

/** Something that a person sets going once at a time; what went wrong is kept until the next try. */
export function useAction<A extends unknown[]>(work: (...given: A) => Promise<unknown>): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  return {
    isBusy,
    error,
    run: async (...given) => {
      if (isBusy) return;
      setBusy(true);
      setError(null);
      try {
        await work(...given);
      } catch (failure) {
        setError(failure);
      } finally {
        setBusy(false);
      }
    },
  };
}
