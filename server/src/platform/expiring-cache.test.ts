// The expiring cache: eviction, idle time, replacement and closing.
import { afterEach, expect, test, vi } from 'vitest';
import { movableClock } from '../../../test/support/clock.ts';
import { ExpiringCache } from './expiring-cache.ts';

afterEach(() => void vi.useRealTimers());

function open(most = 3) {
  const clock = movableClock();
  const dropped: string[] = [];
  const drop = (value: string) => void dropped.push(value);
  return { clock, dropped, memory: new ExpiringCache<number, string>({ clock, most, idleMs: 1000, drop }) };
}

test('a full cache evicts the least recently used entry', () => {
  const { memory, dropped } = open(2);
  using _closing = memory;
  memory.set(1, 'one');
  memory.set(2, 'two');
  expect(memory.get(1)).toBe('one');
  memory.set(3, 'three');
  expect(dropped).toEqual(['two']);
  expect([memory.get(1), memory.get(2), memory.get(3)]).toEqual(['one', undefined, 'three']);
});

test('entries not used for the idle time are dropped, and only those', () => {
  const { memory, dropped, clock } = open();
  using _closing = memory;
  for (const [key, value] of ['zero', 'one', 'two'].entries()) memory.set(key, value);
  clock.advance(999);
  memory.get(1);
  clock.advance(1);
  memory.forgetIdle();
  expect(dropped).toEqual(['zero', 'two']);
  expect(memory.size).toBe(1);
});

test('a replaced entry is dropped once, a taken one is not', () => {
  const { memory, dropped } = open();
  using _closing = memory;
  memory.set(1, 'first');
  memory.set(1, 'second');
  expect(dropped).toEqual(['first']);
  expect(memory.take(1)).toBe('second');
  memory.forget(1);
  expect(dropped).toEqual(['first']);
});

test('closing drops all entries, also those added later', () => {
  const { memory, dropped } = open();
  memory.set(1, 'one');
  memory.set(2, 'two');
  memory[Symbol.dispose]();
  memory.set(3, 'three');
  expect(dropped).toEqual(['one', 'two', 'three']);
  expect(memory.size).toBe(0);
});

test('idle entries are dropped by a timer, which ends on close', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { memory, dropped, clock } = open();
  memory.set(1, 'one');
  clock.advance(1000);
  vi.advanceTimersByTime(1000);
  expect(dropped).toEqual(['one']);
  memory[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
});
