// Task group: concurrent loops that wait for each other's progress; the first failure ends all.

export type TaskGroup = {
  readonly signal: AbortSignal;
  /** Wakes all waiting loops after a change. */
  wake(): void;
  /** Resolves once `isSo` holds; re-evaluated after every `wake`. Rejects when the group ends. */
  until(isSo: () => boolean): Promise<void>;
};

/** Runs all loops to their end. Rejects with the first failure, after the others have stopped. */
export async function runTaskGroup(
  outside: AbortSignal | undefined,
  toLoops: (group: TaskGroup) => readonly (() => Promise<void>)[],
): Promise<void> {
  const inside = new AbortController();
  const signal = outside ? AbortSignal.any([outside, inside.signal]) : inside.signal;
  let sleepers: (() => void)[] = [];
  const wake = (): void => {
    const awake = sleepers;
    sleepers = [];
    for (const resume of awake) resume();
  };
  const group: TaskGroup = {
    signal,
    wake,
    async until(isSo) {
      signal.throwIfAborted();
      while (!isSo()) {
        await new Promise<void>(resolve => {
          sleepers.push(resolve);
        });
        signal.throwIfAborted();
      }
    },
  };
  signal.addEventListener('abort', wake, { once: true });
  try {
    await endTogether(
      toLoops(group).map(loop => loop()),
      inside,
    );
  } catch (error) {
    outside?.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', wake);
  }
}

async function endTogether(running: readonly Promise<void>[], inside: AbortController): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  await Promise.all(
    running.map(one =>
      one.catch(error => {
        failure ??= { error };
        inside.abort(error);
      }),
    ),
  );
  if (failure) throw failure.error;
}
