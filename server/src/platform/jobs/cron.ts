// Cron expressions: seconds, minutes, hours, days of the month, months, days of the week, in the server's time zone.
// Seconds may be omitted, a year may follow.
import { Cron } from 'croner';
import type { Time } from '../db/tables.ts';

const mostFields = 7;
const fewestFields = 5;

/** Quartz writes `?` for "any day"; the parser would take it for a specific day. */
const toPattern = (text: string): string => text.replaceAll('?', '*');

/** Numbers of weekdays follow Quartz: 1 is Sunday. Throws one sentence for an invalid expression. */
function parseCron(text: string): Cron {
  const fields = text.trim().split(/\s+/);
  if (fields.length < fewestFields || fields.length > mostFields)
    throw new RangeError('must have six fields, such as 0 0 2 * * ?');
  return new Cron(toPattern(text.trim()), { paused: true, alternativeWeekdays: true });
}

/** The error, or null. */
export function rejectCron(text: string): string | null {
  try {
    return parseCron(text).nextRun() === null ? 'must name a time that comes' : null;
  } catch {
    return 'must be a cron schedule of six fields, such as 0 0 2 * * ?';
  }
}

/** The latest possible time, for schedules whose last year is over. */
const never = 8_640_000_000_000_000;

export function openCron(text: string): (time: Time) => Time {
  const cron = parseCron(text);
  return time => cron.nextRun(new Date(time))?.getTime() ?? never;
}
