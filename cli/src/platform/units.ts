// Sizes, rates and durations as text. Units are powers of 1024.
import { parseSize } from '@recordproof/shared/settings/parse-size.ts';
import { CommandError } from './command-error.ts';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

export function toSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

const inGroups = new Intl.NumberFormat('en');
export const toCount = (count: number): string => inGroups.format(count);

export function toDuration(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const clock = `${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? clock : `${Math.floor(seconds / 3600)}:${clock}`;
}

export function parseRate(text: string): number {
  const bytes = parseSize(text.trim()) ?? 0;
  if (bytes >= 1024) return bytes;
  throw new CommandError('usage', `--limit-rate ${text} is not a number of bytes per second, at least 1KB`, {
    try: 'for example 500KB or 2.5MB',
  });
}
