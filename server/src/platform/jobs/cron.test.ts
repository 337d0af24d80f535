// Cron schedules in Unix and Quartz form: next times, and rejected texts.
import { expect, test } from 'vitest';
import { openCron, rejectCron } from './cron.ts';

const at = (text: string): number => new Date(text).getTime();

test.each([
  ['0 0 2 * * ?', '2026-02-01T02:00:00'],
  ['0 30 * * * ?', '2026-01-31T12:30:00'],
  ['0 0 2 ? * 2', '2026-02-02T02:00:00'], // Quartz counts from Sunday
  ['0 0 2 ? * MON', '2026-02-02T02:00:00'],
  ['0 0 2 31 3 ?', '2026-03-31T02:00:00'],
  ['*/5 * * * *', '2026-01-31T12:05:00'],
])('the next time of %s is %s', (text, next) => {
  expect(rejectCron(text)).toBeNull();
  expect(openCron(text)(at('2026-01-31T12:00:00'))).toBe(at(next));
});

test.each(['', 'daily', '@daily', '0 0 25 * * ?', '0 0 2 31 2 ?', '2026-05-05T00:00:00', '1 2 3 4 5 6 7 8'])(
  'an invalid schedule is rejected: %s',
  text => {
    expect(rejectCron(text)).toMatch(/^must /);
  },
);
