// Observable value: set by its owner, read and observed by others; and an observer of the person in a session.
import type { SessionState, Watched } from './bridge.ts';

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

/** Calls back when another person has signed in; with undefined when the person has signed out. */
export function watchPerson(state: Watched<SessionState>, changed: (person: string | undefined) => void): void {
  const find = () => {
    const now = state.get();
    return now.kind === 'signed-in' ? now.account.externalId : undefined;
  };
  let person = find();
  state.watch(() => {
    const next = find();
    if (next === person) return;
    person = next;
    changed(next);
  });
}
