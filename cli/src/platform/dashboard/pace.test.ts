// Pace of a count from its latest samples, and the remaining time.
import { expect, test } from 'vitest';
import { paceOf, pacesOf, type Samples, secondsLeft, withSample } from './pace.ts';

const samplesOf = (...pairs: readonly (readonly [seconds: number, done: number])[]): Samples =>
  pairs.reduce<Samples>((samples, [seconds, done]) => withSample(samples, { at: seconds * 1000, done }), []);

test('a pace needs two samples, and is that of the last half minute', () => {
  expect(paceOf(samplesOf([0, 0]))).toBeUndefined();
  expect(paceOf(samplesOf([0, 0], [10, 50]))).toBe(5);
  expect(paceOf(samplesOf([0, 0], [60, 6000], [70, 6010], [80, 6020]))).toBe(1);
});

test('a count that decreases restarts the pace', () => {
  expect(paceOf(samplesOf([0, 100], [1, 200], [2, 10]))).toBeUndefined();
  expect(pacesOf(samplesOf([0, 100], [1, 200], [2, 10], [4, 14]))).toEqual([2]);
});

test('the remaining time follows from the pace, and is unknown without one', () => {
  expect([secondsLeft(10, 4), secondsLeft(0, undefined), secondsLeft(10, 0), secondsLeft(10, undefined)]).toEqual([
    3,
    0,
    undefined,
    undefined,
  ]);
});

test('only as many samples as can be shown are kept', () => {
  const many = samplesOf(...Array.from({ length: 500 }, (_none, at) => [at, at] as const));
  expect(many).toHaveLength(60);
  expect(paceOf(many)).toBe(1);
});
