// Hooks of the screens: values loaded from the server, pages of lists, events, polling, typing and actions.
import type { Page } from '@recordproof/shared/api/common.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useBridge } from '../context.ts';
import { listenForChanges } from './changes.ts';

export type Loaded<T> =
  | { readonly kind: 'loading' }
  /** `error`: of a later load, where the screen keeps the value. */
  | { readonly kind: 'ready'; readonly value: T; readonly error?: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Loads again whenever `key` changes. `reload` keeps the value until the new one is there. A failed reload replaces the
 * value, unless `keeps` is set, as for screens that poll.
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
        setState(previous => (keeps && previous.kind === 'ready' ? { ...previous, error } : { kind: 'failed', error })),
    );
  }, [keeps]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the request
  useEffect(() => {
    setState({ kind: 'loading' });
    ask();
    return () => asking.current?.abort();
  }, [key, ask]);
  return { state, reload: ask };
}

const pageSize = 50;
/** The number of pages that are loaded at once. */
const mostPages = 20;

type PageOf = { readonly page: number; readonly size: number };
type Pages<T> = {
  readonly state: ReturnType<typeof useLoad<{ readonly records: readonly T[]; readonly hasMore: boolean }>>['state'];
  readonly reload: () => void;
  readonly more: () => void;
};

/** A list that is loaded page by page. */
export function usePages<T>(key: string, load: (page: PageOf, signal: AbortSignal) => Promise<Page<T>>): Pages<T> {
  const [shown, setShown] = useState({ key, count: 1 });
  const count = shown.key === key ? shown.count : 1;
  const { state, reload } = useLoad(key, async signal => {
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const pages = await Promise.all(numbers.map(page => load({ page, size: pageSize }, signal)));
    const records = pages.flatMap(page => page.records);
    return { records, hasMore: count < mostPages && records.length < (pages[0]?.total ?? 0) };
  });
  useEffect(() => {
    if (count > 1) reload();
  }, [count, reload]);
  return { state, reload, more: () => setShown({ key, count: count + 1 }) };
}

/** Calls back for events of these types, coalesced, and when events may have been missed. */
export function useEvents(types: readonly ServerEvent['type'][], callback: () => void): void {
  const { events } = useBridge();
  const latest = useRef(callback);
  latest.current = callback;
  const wantedTypes = types.join(' ');
  useEffect(
    () => listenForChanges(events, wantedTypes.split(' ') as ServerEvent['type'][], () => latest.current()),
    [events, wantedTypes],
  );
}

/** Polls while the page is visible, and at once when it becomes visible. Null stops. */
export function usePolling(milliseconds: number | null, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (milliseconds === null) return;
    const poll = () => {
      if (document.visibilityState === 'visible') latest.current();
    };
    const timer = setInterval(poll, milliseconds);
    document.addEventListener('visibilitychange', poll);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', poll);
    };
  }, [milliseconds]);
}

/** Calls back when the person comes back to this window: meanwhile something may have changed without an event. */
export function useReturn(callback: () => void): void {
  const latest = useRef(callback);
  latest.current = callback;
  useEffect(() => {
    const come = () => latest.current();
    addEventListener('focus', come);
    return () => removeEventListener('focus', come);
  }, []);
}

const typingMs = 120;

/** The value, once it has not changed for 120 ms. */
export function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), typingMs);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}

type Action<A extends unknown[]> = {
  readonly run: (...args: A) => Promise<void>;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly clearError: () => void;
};

/** An action that runs once at a time; its error is kept until the next run. */
export function useAction<A extends unknown[]>(work: (...args: A) => Promise<unknown>): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  return {
    isBusy,
    error,
    clearError: () => setError(null),
    run: async (...args) => {
      if (isBusy) return;
      setBusy(true);
      setError(null);
      try {
        await work(...args);
      } catch (failure) {
        setError(failure);
      } finally {
        setBusy(false);
      }
    },
  };
}
