// Formats of numbers, sizes, durations and times, by language.
import type { Language } from '@recordproof/shared/words/words.ts';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const locales: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' };

export function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Cached: construction is slow, and a list formats hundreds of times. */
function formatOf(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locales[language], options);
  formats.set(key, format);
  return format;
}

export const formatTime = (iso: string, language: Language): string =>
  formatOf(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

export const formatNumber = (value: number, language: Language): string => value.toLocaleString(locales[language]);
