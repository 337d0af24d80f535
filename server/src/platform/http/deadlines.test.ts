// Deadlines: one callback at the right time, cancellation, and the shared timer.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from './deadlines.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const begin = (deadlines: Deadlines, rendered: string[], name: string) => {
  const request = { startedAt: performance.now(), timeUp: () => void rendered.push(name) };
  deadlines.watch(request);
  return request;
};

test('a deadline calls back once when its time is up, and not before', () => {
  const rendered: string[] = [];
  begin(new Deadlines(1000), rendered, 'slow');
  vi.advanceTimersByTime(999);
  expect(rendered).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(rendered).toEqual(['slow']);
});

test('a forgotten deadline does not call back', () => {
  const rendered: string[] = [];
  const deadlines = new Deadlines(1000);
  deadlines.forget(begin(deadlines, rendered, 'quick'));
  begin(deadlines, rendered, 'slow');
  vi.advanceTimersByTime(5000);
  expect(rendered).toEqual(['slow']);
});

test('each deadline has its own time', () => {
  const rendered: string[] = [];
  const deadlines = new Deadlines(1000);
  begin(deadlines, rendered, 'first');
  vi.advanceTimersByTime(800);
  begin(deadlines, rendered, 'second');
  vi.advanceTimersByTime(500);
  expect(rendered).toEqual(['first']);
  vi.advanceTimersByTime(1000);
  expect(rendered).toEqual(['first', 'second']);
});

test('no timer runs without deadlines', () => {
  const deadlines = new Deadlines(1000);
  deadlines.forget(begin(deadlines, [], 'quick'));
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});
