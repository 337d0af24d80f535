// Heartbeats of leases, which run only when a test triggers them.
import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';
import type { MovableClock } from './clock.ts';

type Heartbeats = Disposable & {
  /** Advances the time, and resolves when all heartbeats due meanwhile have queried the database. */
  pass(clock: MovableClock, milliseconds: number): void;
};

/** For leases that begin from here on. */
export function holdHeartbeats(): Heartbeats {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  return {
    pass: (clock, milliseconds) => {
      clock.advance(milliseconds);
      vi.advanceTimersByTime(milliseconds);
    },
    [Symbol.dispose]: () => void vi.useRealTimers(),
  };
}

/** Polls until the condition holds. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setImmediate();
}

/** A gate that holds a call until it is opened. */
export function openGate() {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  return {
    /** A call has reached the gate. */
    reached: reached.promise,
    open: gone.resolve,
    pass: async (): Promise<void> => {
      reached.resolve();
      await gone.promise;
    },
  };
}
