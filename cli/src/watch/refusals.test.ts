import { expect, test } from 'vitest';
import { Refusals } from './refusals.ts';

const file = { path: 'a.txt', revision: '1' };
const other = { path: 'b.txt', revision: '1' };

test('what was refused is offered again ever later, at least every ten minutes', () => {
  const refusals = new Refusals();
  let now = 0;
  const pauses: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    refusals.note([file], [file], now);
    const from = now;
    while (refusals.holds(file, now)) now += 1000;
    pauses.push(Math.floor((now - from) / 1000) - 1);
  }
  expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 600, 600]);
});

test('what has changed since is offered at once, and begins anew when it is refused, too', () => {
  const refusals = new Refusals();
  const changed = { ...file, revision: '2' };
  for (let round = 0; round < 5; round += 1) refusals.note([file], [file], 0);
  expect(refusals.holds(changed, 0)).toBe(false);
  refusals.note([changed], [changed], 0);
  expect([refusals.holds(changed, 15_000), refusals.holds(changed, 15_001)]).toEqual([true, false]);
});

test('what was taken is forgotten, what was offered with others is judged by itself', () => {
  const refusals = new Refusals();
  refusals.note([file, other], [file, other], 0);
  expect(refusals.count).toBe(2);
  refusals.note([file, other], [other], 0);
  expect([refusals.count, refusals.holds(file, 0), refusals.holds(other, 30_000)]).toEqual([1, false, true]);
});
