import { Fixable } from './fixable.ts';

/** A day means its beginning, and a time without a zone is one, in the time zone of this machine. */
export function toMoment(flag: string, text: string): string {
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new Fixable('usage', `${flag} must be a day or a time`, { try: '2026-01-31 or 2026-01-31T12:00:00Z' });
}
