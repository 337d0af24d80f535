// Window pairs of error budgets against the specification.
import { expect, test } from 'vitest';
import { burnRates, classifyBurn, windowMinutes } from './burn.ts';

/** An objective with a budget of 0.5 %, of whose events this share is bad in the windows of so many minutes. */
const seen = (shares: Readonly<Record<number, number>>) =>
  classifyBurn(
    new Map(
      Object.entries(shares).map(([minutes, share]) => [
        Number(minutes),
        new Map([['api-errors', { good: 10_000 * (1 - share), bad: 10_000 * share }]]),
      ]),
    ),
  ).find(({ goal }) => goal === 'api-errors')?.severity;

test.each([
  [{ 5: 0.08, 60: 0.08 }, 'critical'],
  [{ 5: 0.08, 60: 0.02 }, 'none'],
  [{ 5: 0.02, 60: 0.08 }, 'none'],
  [{ 5: 0.072, 60: 0.072 }, 'none'],
  [{ 30: 0.04, 360: 0.04 }, 'warning'],
  [{ 30: 0.04, 360: 0.02 }, 'none'],
  [{ 60: 0.02, 1440: 0.02 }, 'info'],
  [{ 60: 0.02, 1440: 0.01 }, 'none'],
  [{ 5: 0.08, 30: 0.08, 60: 0.08, 360: 0.08, 1440: 0.08 }, 'critical'],
  [{}, 'none'],
])('bad event shares of %o have severity %s', (shares, severity) => {
  expect(seen(shares)).toBe(severity);
});

/** Counts of the objective that is judged once a minute, the same in every window. */
const seenTimes = (good: number, bad: number) =>
  classifyBurn(
    new Map(windowMinutes.map(minutes => [minutes, new Map([['storage-availability', { good, bad }]])])),
  ).find(({ goal }) => goal === 'storage-availability')?.severity;

test.each([
  ['one slow probe after the start', 0, 1, 'none'],
  ['two of three', 1, 2, 'none'],
  ['three in a row', 0, 3, 'critical'],
  ['three of five', 2, 3, 'critical'],
])('%s: %i good and %i bad probes have severity %s', (_what, good, bad, severity) => {
  expect(seenTimes(good, bad)).toBe(severity);
});

test('the window pairs are the specified ones', () => {
  expect(
    burnRates.map(({ severity, shortMinutes, longMinutes, factor }) => [severity, shortMinutes, longMinutes, factor]),
  ).toEqual([
    ['critical', 5, 60, 14.4],
    ['warning', 30, 360, 6],
    ['info', 60, 1440, 3],
  ]);
});
