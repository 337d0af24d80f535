// Observable value: set by its owner, read and observed by others.
import type { Watched } from './bridge.ts';

type Settable<T> = Watched<T> & { readonly set: (value: T) => void };

export function openWatched<T>(first: T): Settable<T> {
  let value = first;
  const watchers = new Set<() => void>();
  return {
    get: () => value,
    set: next => {
      if (Object.is(next, value)) return;
      value = next;
      for (const changed of [...watchers]) changed();
    },
    watch: changed => {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
  };
}
