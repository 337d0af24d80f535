// The heartbeats of leases, which beat only when a test says so.
import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';
import type { MovableClock } from './clock.ts';

type Heartbeats = Disposable & {
  /** So much time goes by, and whatever beats meanwhile has asked the database. */
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

/** Asks again and again until it is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setImmediate();
}

/** A call that is stopped on its way until it is let go. */
export function openGate() {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  return {
    /** Somebody has come to the gate. */
    reached: reached.promise,
    open: gone.resolve,
    pass: async (): Promise<void> => {
      reached.resolve();
      await gone.promise;
    },
  };
}
