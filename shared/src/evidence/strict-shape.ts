// Typed records from parsed JSON. Rejects unknown, missing and mistyped fields. Messages contain our own field names
// and positions, never untrusted text.
import type { JsonValue } from './canonical-json.ts';

export class ShapeError extends Error {
  readonly path: string;
  constructor(path: string, problem: string) {
    super(`${path === '' ? 'the document' : path} ${problem}`);
    this.name = 'ShapeError';
    this.path = path;
  }
}

/** Returns the typed value or throws ShapeError. */
export type Reader<T> = (value: JsonValue | undefined, path: string) => T;
type Readers = Readonly<Record<string, Reader<unknown>>>;
type Read<R extends Readers> = { [K in keyof R]: ReturnType<R[K]> };
type Shaped<R extends Readers, O extends Readers> = Read<R> & { [K in keyof O]?: ReturnType<O[K]> };

export function objectOf<R extends Readers, O extends Readers = Record<never, never>>(
  required: R,
  optional?: O,
  unknownFields: 'refuse' | 'ignore' = 'refuse',
): Reader<Shaped<R, O>> {
  const readers = new Map<string, Reader<unknown>>([...Object.entries(required), ...Object.entries(optional ?? {})]);
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ShapeError(path, 'must be an object');
    const members = value as Record<string, JsonValue | undefined>;
    if (unknownFields === 'refuse' && Object.keys(members).some(key => !readers.has(key)))
      throw new ShapeError(path, 'has an unknown field');
    const shaped: Record<string, unknown> = {};
    for (const [key, reader] of readers) {
      const at = path === '' ? key : `${path}.${key}`;
      const present = Object.hasOwn(members, key);
      if (!present && Object.hasOwn(required, key)) throw new ShapeError(at, 'is missing');
      if (present) shaped[key] = reader(members[key], at);
    }
    return shaped as Shaped<R, O>;
  };
}

export const arrayOf =
  <T>(item: Reader<T>, min: number, max: number): Reader<T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw new ShapeError(path, 'must be a list');
    if (value.length < min || value.length > max) throw new ShapeError(path, `must have ${min} to ${max} items`);
    return value.map((member: JsonValue, index) => item(member, `${path}[${index}]`));
  };

export const text =
  (pattern: RegExp, hint: string): Reader<string> =>
  (value, path) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw new ShapeError(path, `must be ${hint}`);
    return value;
  };

export const oneOf =
  <const T extends readonly string[]>(...allowed: T): Reader<T[number]> =>
  (value, path) => {
    if (typeof value !== 'string' || !allowed.includes(value))
      throw new ShapeError(path, `must be ${allowed.join(' or ')}`);
    return value;
  };

/** Minus zero counts as zero: where the form matters, the canonical form rejects it. */
export const integer =
  (min: number, max: number = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (value, path) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max)
      throw new ShapeError(path, `must be a whole number from ${min} to ${max}`);
    return value;
  };

export const flag: Reader<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new ShapeError(path, 'must be true or false');
  return value;
};

export const nullable =
  <T>(reader: Reader<T>): Reader<T | null> =>
  (value, path) =>
    value === null ? null : reader(value, path);

export const hexHash = text(/^[0-9a-f]{64}$/, '64 lowercase hex digits');
export const digestText = text(/^sha256:[0-9a-f]{64}$/, 'sha256: and 64 lowercase hex digits');
export const transactionHash = text(/^0x[0-9a-f]{64}$/, '0x and 64 lowercase hex digits');
export const decimalId = text(/^[1-9][0-9]{0,18}$/, 'a decimal id');
/** Safe as one segment of a URL path: not `.` or `..`, no separator. */
export const urlName = text(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/, 'a name of letters, digits, dot, dash, underscore');
