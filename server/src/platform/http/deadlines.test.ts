import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from './deadlines.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const begin = (deadlines: Deadlines, told: string[], name: string) => {
  const request = { startedAt: performance.now(), timeUp: () => void told.push(name) };
  deadlines.watch(request);
  return request;
};

test('a request is told once when its time is up, and not before', () => {
  const told: string[] = [];
  begin(new Deadlines(1000), told, 'slow');
  vi.advanceTimersByTime(999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['slow']);
});

test('a request that has ended is left alone', () => {
  const told: string[] = [];
  const deadlines = new Deadlines(1000);
  deadlines.forget(begin(deadlines, told, 'quick'));
  begin(deadlines, told, 'slow');
  vi.advanceTimersByTime(5000);
  expect(told).toEqual(['slow']);
});

test('a later request has its own time', () => {
  const told: string[] = [];
  const deadlines = new Deadlines(1000);
  begin(deadlines, told, 'first');
  vi.advanceTimersByTime(800);
  begin(deadlines, told, 'second');
  vi.advanceTimersByTime(500);
  expect(told).toEqual(['first']);
  vi.advanceTimersByTime(1000);
  expect(told).toEqual(['first', 'second']);
});

test('nothing ticks while nobody waits', () => {
  const deadlines = new Deadlines(1000);
  deadlines.forget(begin(deadlines, [], 'quick'));
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});
