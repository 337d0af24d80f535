// Coalesced wake-ups of job workers: the first at once, later ones after the pause.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CoalescedWakeUps } from './wake-ups.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function listen() {
  const rings: string[][] = [];
  return { rings, coalesced: new CoalescedWakeUps(kinds => rings.push([...kinds].sort())) };
}

test('the first wake-up is sent at once, later ones within the pause are coalesced at its end', () => {
  const { rings, coalesced } = listen();
  coalesced.add(new Set(['a']));
  expect(rings).toEqual([['a']]);
  for (const kind of ['a', 'b', 'a']) coalesced.add(new Set([kind]));
  expect(rings).toHaveLength(1);
  vi.advanceTimersByTime(1000);
  expect(rings).toEqual([['a'], ['a', 'b']]);
  vi.advanceTimersByTime(1000);
  coalesced.add(new Set(['c']));
  expect(rings.at(-1)).toEqual(['c']);
});

test('an empty set sends no wake-up, and none is sent after disposal', () => {
  const { rings, coalesced } = listen();
  coalesced.add(new Set());
  expect(rings).toEqual([]);
  coalesced.add(new Set(['a']));
  coalesced.add(new Set(['b']));
  coalesced[Symbol.dispose]();
  vi.advanceTimersByTime(1000);
  expect(rings).toEqual([['a']]);
});
