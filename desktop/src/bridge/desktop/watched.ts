// A value that the program tells of, as the interface watches it.
import type { Watched } from '../bridge.ts';

export type Source<T> = Watched<T> & { set(value: T): void };

export function openWatched<T>(first: T): Source<T> {
  let value = first;
  const watchers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const changed of watchers) changed();
    },
    watch(changed) {
      // Each its own, also where one function watches twice.
      const watcher = () => changed();
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
