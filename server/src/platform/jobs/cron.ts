// Points in time by the calendar, as cron writes them: seconds, minutes, hours, days of the month, months, days of the
// week, in the time zone of the server. The seconds may be left out, a year may follow.
import { Cron } from 'croner';
import type { Time } from '../db/tables.ts';

const mostFields = 7;
const fewestFields = 5;

/** Quartz writes `?` for "any day"; the parser would take it for a day that was said. */
const toPattern = (text: string): string => text.replaceAll('?', '*');

/** By number, the days of the week are those of Quartz: 1 is Sunday. Throws a plain sentence for what is no schedule. */
function parseCron(text: string): Cron {
  const fields = text.trim().split(/\s+/);
  if (fields.length < fewestFields || fields.length > mostFields)
    throw new RangeError('must have six fields, such as 0 0 2 * * ?');
  return new Cron(toPattern(text.trim()), { paused: true, alternativeWeekdays: true });
}

/** What is wrong with it, or null. */
export function refuseCron(text: string): string | null {
  try {
    return parseCron(text).nextRun() === null ? 'must name a time that comes' : null;
  } catch {
    return 'must be a cron schedule of six fields, such as 0 0 2 * * ?';
  }
}

/** The far end of time, for schedules whose last year is over. */
const never = 8_640_000_000_000_000;

export function openCron(text: string): (time: Time) => Time {
  const cron = parseCron(text);
  return time => cron.nextRun(new Date(time))?.getTime() ?? never;
}
