// Times in external responses: RFC 3339 without leap seconds, or milliseconds since 1970. Rejects invalid days and
// hours, which a lenient parser would move to the next day.
import { type Reader, ShapeError } from './strict-shape.ts';

const form = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Milliseconds since 1970; undefined for an invalid time. */
export function parseRfc3339(text: string): number | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const millis = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, millis);
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000;
  return date.getTime() + (match[8] === '-' ? offset : -offset);
}

export const timestamp: Reader<number> = (value, path) => {
  const millis = typeof value === 'string' ? parseRfc3339(value) : value;
  if (typeof millis !== 'number' || !Number.isSafeInteger(millis) || millis < 0)
    throw new ShapeError(path, 'must be an RFC 3339 time or milliseconds since 1970');
  return millis;
};
