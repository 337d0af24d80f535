// Watched value: set from one side, read and watched from the other.
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
