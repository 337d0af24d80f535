// Daily hours in which background work may run, such as 22-6, in the server's time zone.
import type { Time } from '../db/tables.ts';

const form = /^(\d{1,2})-(\d{1,2})$/;
const hoursOfDay = 24;

function parseHours(text: string): { readonly from: number; readonly to: number } | null {
  const [, from, to] = form.exec(text.trim()) ?? [];
  const hours = { from: Number(from), to: Number(to) };
  const isValid = hours.from < hoursOfDay && hours.to <= hoursOfDay && hours.from !== hours.to;
  return isValid ? hours : null;
}

/** The error, or null. */
export const rejectHours = (text: string): string | null =>
  parseHours(text) === null ? 'must be hours of the day such as 22-6, or 0-24 for all of it' : null;

/** The first hour is included, the last is not. */
export function isWithinHours(text: string, time: Time): boolean {
  const hours = parseHours(text);
  if (hours === null) throw new RangeError(`"${text}" names no hours of the day`);
  const { from, to } = hours;
  const now = new Date(time).getHours();
  return from < to ? now >= from && now < to : now >= from || now < to;
}
