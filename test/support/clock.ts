// Clock that tests move.
import type { Clock } from '@recordproof/server/platform/clock.ts';

export type MovableClock = Clock & { advance(milliseconds: number): void };

/** A clock that stands still until a test moves it. */
export function movableClock(start = Date.UTC(2026, 0, 15, 12)): MovableClock {
  let now = start;
  return {
    now: () => now,
    advance: milliseconds => {
      now += milliseconds;
    },
  };
}
