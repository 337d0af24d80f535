// Canonical JSON (RFC 8785). Rejects values without a canonical form (NaN, lone surrogates, cycles). Our own formats
// omit a member instead of writing null; undefined members are omitted.
import { toUtf8 } from './digest.ts';

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

const maxDepth = 64;

export function canonicalJson(value: JsonValue): string {
  return write(value, 0);
}

export const canonicalBytes = (value: JsonValue): Uint8Array => toUtf8(canonicalJson(value));

function write(value: JsonValue, depth: number): string {
  if (depth > maxDepth) throw new RangeError('JSON is nested too deeply');
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (!Number.isFinite(value)) throw new RangeError(`${value} has no form in JSON: a number must be finite`);
      return JSON.stringify(value);
    case 'string':
      return writeString(value);
    case 'object':
      return isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
    default:
      throw new TypeError(`a ${typeof value} has no form in JSON: leave it out`);
  }
}

function writeString(value: string): string {
  if (!value.isWellFormed()) throw new RangeError('a lone surrogate cannot be written as UTF-8');
  return JSON.stringify(value);
}

function writeArray(values: readonly JsonValue[], depth: number): string {
  const parts: string[] = [];
  // An index loop visits holes, which map and join would skip silently.
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === undefined) throw new TypeError(`item ${i} of an array is undefined: JSON has no form for it`);
    parts.push(write(value, depth + 1));
  }
  return `[${parts.join(',')}]`;
}

function writeObject(value: { readonly [key: string]: JsonValue | undefined }, depth: number): string {
  const parts: string[] = [];
  // The default sort compares UTF-16 code units, as RFC 8785 section 3.2.3 requires.
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) parts.push(`${writeString(key)}:${write(member, depth + 1)}`);
  }
  return `{${parts.join(',')}}`;
}

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

type NonNullMembers<T> = {
  [K in keyof T as T[K] extends null | undefined ? never : K]: Exclude<T[K], null | undefined>;
};

/** A copy without null and undefined members; for database rows that become evidence. */
export function withoutNulls<T extends object>(value: T): Partial<NonNullMembers<T>> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== null && member !== undefined),
  ) as Partial<NonNullMembers<T>>;
}
