// Parsers for times and durations in flags.
import { CommandError } from './command-error.ts';

const edges = { beginning: 'T00:00:00', end: 'T23:59:59.999' } as const;

/** A day means its beginning, or its end where a span ends; a time without a zone is one of this machine. */
export function toTime(flag: string, text: string, edge: keyof typeof edges = 'beginning'): string {
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text + edges[edge] : text);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new CommandError('usage', `${flag} must be a day or a time, not "${text}"`, {
    try: '2026-01-31 or 2026-01-31T12:00:00Z',
  });
}

const unitMinutes: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };

/** The minutes of `--expires`. */
export function parseExpiry(text: string, mostMinutes: number, examples: string): number {
  const [, number, unit = ''] = /^([0-9]{1,6})([mhd])$/.exec(text.trim()) ?? [];
  const value = Number(number) * (unitMinutes[unit] ?? 0);
  if (value >= 1 && value <= mostMinutes) return value;
  const range = `from 1m to ${mostMinutes / 1440}d`;
  throw new CommandError('usage', `--expires takes minutes, hours or days, ${range}, not "${text}"`, { try: examples });
}
