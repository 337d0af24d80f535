// Ranges of hours of a day: times inside and outside, over midnight, and rejected texts.
import { expect, test } from 'vitest';
import { isWithinHours, rejectHours } from './day-hours.ts';

const at = (hour: number, minute = 0) => new Date(2026, 0, 31, hour, minute).getTime();

test.each([
  ['0-24', [0, 12, 23], []],
  ['9-17', [9, 16], [8, 17, 0]],
  ['22-6', [22, 23, 0, 5], [6, 21, 12]],
  ['23-0', [23], [0, 22]],
])('hours %s include and exclude the right times', (hours, inside, outside) => {
  for (const hour of inside) expect([hour, isWithinHours(hours, at(hour, 59))]).toEqual([hour, true]);
  for (const hour of outside) expect([hour, isWithinHours(hours, at(hour))]).toEqual([hour, false]);
});

test.each(['', '9', '9-9', '24-3', '3-25', '-1-4', 'a-b', '9:30-17'])('hours "%s" are rejected', hours => {
  expect(rejectHours(hours)).toContain('22-6');
});
