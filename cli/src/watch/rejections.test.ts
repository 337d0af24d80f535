// Back-off for rejected files of a watched folder: doubling pauses, and their reset after a change.
import { expect, test } from 'vitest';
import { Rejections } from './rejections.ts';

const file = { path: 'a.txt', revision: '1' };
const other = { path: 'b.txt', revision: '1' };

test('a rejected file is offered again with doubling pauses of up to ten minutes', () => {
  const rejections = new Rejections();
  let now = 0;
  const pauses: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    rejections.note([file], [file], now);
    const from = now;
    while (rejections.holds(file, now)) now += 1000;
    pauses.push(Math.floor((now - from) / 1000) - 1);
  }
  expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 600, 600]);
});

test('a changed file is offered at once, with the first pause when it is rejected again', () => {
  const rejections = new Rejections();
  const changed = { ...file, revision: '2' };
  for (let round = 0; round < 5; round += 1) rejections.note([file], [file], 0);
  expect(rejections.holds(changed, 0)).toBe(false);
  rejections.note([changed], [changed], 0);
  expect([rejections.holds(changed, 15_000), rejections.holds(changed, 15_001)]).toEqual([true, false]);
});

test('an accepted file is forgotten, and a file offered with others is counted on its own', () => {
  const rejections = new Rejections();
  rejections.note([file, other], [file, other], 0);
  expect(rejections.count).toBe(2);
  rejections.note([file, other], [other], 0);
  expect([rejections.count, rejections.holds(file, 0), rejections.holds(other, 30_000)]).toEqual([1, false, true]);
});
