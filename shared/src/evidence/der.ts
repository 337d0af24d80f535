// DER (X.690): a strict reader and a small writer, for definite lengths in their shortest form, one-byte tags, no
// trailing bytes. Reads one level at a time, so the caller bounds the depth.
import { concatBytes } from './digest.ts';

export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

type DerCode = 'TRUNCATED' | 'TRAILING_BYTES' | 'MALFORMED';

export class DerError extends Error {
  readonly code: DerCode;
  constructor(code: DerCode, message: string) {
    super(message);
    this.name = 'DerError';
    this.code = code;
  }
}

export type DerValue = {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Including tag and length: the input of signatures and hashes. */
  readonly bytes: Uint8Array;
};

const malformed = (message: string) => new DerError('MALFORMED', message);
const maxItems = 1024;

/** The single value in the bytes, as views into them. */
export function readDer(bytes: Uint8Array, tag: number): DerValue {
  const value = readAt(bytes, 0, 'TRUNCATED');
  if (value.bytes.length !== bytes.length) throw new DerError('TRAILING_BYTES', 'bytes follow the value');
  return expectTag(value, tag);
}

/** A length beyond the input means a truncated file; beyond the enclosing value, a malformed one. */
function readAt(bytes: Uint8Array, at: number, beyond: DerCode): DerValue {
  const byteAt = (index: number): number => {
    const byte = bytes[index];
    if (byte === undefined) throw new DerError(beyond, 'a value is cut off');
    return byte;
  };
  const tag = byteAt(at);
  if ((tag & 0x1f) === 0x1f) throw malformed('tags of several bytes are not used here');
  const first = byteAt(at + 1);
  let [start, length] = [at + 2, first];
  if (first >= 0x80) {
    const width = first & 0x7f;
    if (width === 0 || width > 4) throw malformed('a length is not definite or too large');
    length = 0;
    for (let i = 0; i < width; i++) length = length * 256 + byteAt(start + i);
    if (length < 0x80 || length < 256 ** (width - 1)) throw malformed('a length is not in its shortest form');
    start += width;
  }
  if (start + length > bytes.length) throw new DerError(beyond, 'a value is cut off');
  return { tag, content: bytes.subarray(start, start + length), bytes: bytes.subarray(at, start + length) };
}

function expectTag(value: DerValue, tag: number): DerValue {
  if (value.tag !== tag) throw malformed(`expected the tag 0x${tag.toString(16)}, found 0x${value.tag.toString(16)}`);
  return value;
}

/** The inner values, in order. */
export function derItems(parent: DerValue): DerValue[] {
  const items: DerValue[] = [];
  for (let at = 0; at < parent.content.length; ) {
    if (items.length === maxItems) throw malformed(`there are more than ${maxItems} items`);
    const item = readAt(parent.content, at, 'MALFORMED');
    items.push(item);
    at += item.bytes.length;
  }
  return items;
}

/** The fields of a SEQUENCE, read one after the other; `end` rejects remaining ones. */
export class DerFields {
  readonly #items: readonly DerValue[];
  #at = 0;

  constructor(sequence: DerValue) {
    this.#items = derItems(expectTag(sequence, derTags.sequence));
  }

  take(tag: number): DerValue {
    const value = this.any();
    return expectTag(value, tag);
  }

  any(): DerValue {
    const value = this.#items[this.#at++];
    if (value === undefined) throw malformed('a field is missing');
    return value;
  }

  optional(tag: number): DerValue | undefined {
    return this.#items[this.#at]?.tag === tag ? this.#items[this.#at++] : undefined;
  }

  optionalAny(): DerValue | undefined {
    return this.#items[this.#at++];
  }

  /** The value inside an EXPLICIT tag, if present. */
  optionalExplicit(tag: number, inner: number): DerValue | undefined {
    const outer = this.optional(tag);
    return outer === undefined ? undefined : onlyItem(outer, inner);
  }

  end(): void {
    if (this.#at < this.#items.length) throw malformed('there is a field too many');
  }
}

export function onlyItem(parent: DerValue, tag: number): DerValue {
  const [item, ...rest] = derItems(parent);
  if (item === undefined || rest.length > 0) throw malformed('expected exactly one item');
  return expectTag(item, tag);
}

/** In dotted decimal. */
export function readOid(value: DerValue): string {
  const { content } = expectTag(value, derTags.oid);
  const arcs: number[] = [];
  let arc = 0;
  for (const [at, byte] of content.entries()) {
    if (arc === 0 && byte === 0x80) throw malformed('an object identifier is not in its shortest form');
    arc = arc * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(arc)) throw malformed('an arc of an object identifier exceeds 2^53 - 1');
    if (byte >= 0x80) {
      if (at === content.length - 1) throw malformed('an object identifier is cut off');
      continue;
    }
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)));
    arcs.push(arcs.length === 1 ? arc - 40 * (arcs[0] ?? 0) : arc);
    arc = 0;
  }
  if (arcs.length < 2 || content.length > 64) throw malformed('not an object identifier');
  return arcs.join('.');
}

/** The content of an INTEGER in its shortest form: two's complement, high byte first. */
export function readIntegerBytes({ content }: DerValue): Uint8Array {
  const [first = 0, second = 0] = content;
  const isPadded = content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (content.length === 0 || isPadded) throw malformed('a number is not in its shortest form');
  return content;
}

/** An INTEGER that is not negative and is exact as a number. */
export function readNumber(value: DerValue): number {
  const bytes = readIntegerBytes(value);
  const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  if ((bytes[0] ?? 0) >= 0x80 || !Number.isSafeInteger(number)) throw malformed('a number is negative or too large');
  return number;
}

export function readBoolean({ content }: DerValue): boolean {
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw malformed('not a truth value');
  return content[0] === 0xff;
}

/** A BIT STRING of whole bytes. */
export function readBitBytes({ content }: DerValue): Uint8Array {
  if (content.length === 0 || content[0] !== 0) throw malformed('a bit string has unused bits');
  return content.subarray(1);
}

const timeForm = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{0,8}[1-9]))?Z$/;

/**
 * UTCTime or GeneralizedTime in UTC with seconds, as milliseconds since 1970; fractions of a millisecond are rounded
 * up.
 */
export function readTime({ tag, content }: DerValue): number {
  let text = String.fromCharCode(...content.subarray(0, 32));
  if (content.length > 32 || (tag !== derTags.utcTime && tag !== derTags.generalizedTime))
    throw malformed('not a time');
  if (tag === derTags.utcTime) {
    if (content.length !== 13) throw malformed('not a time');
    text = `${text.slice(0, 2) < '50' ? '20' : '19'}${text}`;
  }
  const [, year, month, day, hour, minute, second, fraction = ''] = timeForm.exec(text) ?? [];
  const whole = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = year === undefined ? undefined : new Date(whole);
  if (time === undefined || Number.isNaN(time.getTime()) || time.toISOString() !== whole) throw malformed('not a time');
  return time.getTime() + Math.ceil(Number(`0.${fraction || '0'}`) * 1000);
}

export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(...parts);
  const size = content.length;
  if (size < 0x80) return concatBytes(Uint8Array.of(tag, size), content);
  const width = size < 0x100 ? 1 : size < 0x10000 ? 2 : 3;
  if (size >= 0x1000000) throw new RangeError(`a DER value has ${size} bytes, at most ${0x1000000 - 1} are allowed`);
  const length = Array.from({ length: width }, (_, at) => Math.floor(size / 256 ** (width - 1 - at)) % 256);
  return concatBytes(Uint8Array.of(tag, 0x80 | width, ...length), content);
}

export function writeOid(oid: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = /^[0-2](\.\d{1,15}){1,16}$/.test(oid) ? oid.split('.').map(Number) : [];
  if (rest.length === 0 || (first < 2 && second > 39)) throw new RangeError(`${oid} is no object identifier`);
  const bytes = [first * 40 + second, ...rest].flatMap(arc => {
    const digits = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) digits.unshift((left % 128) | 0x80);
    return digits;
  });
  return writeDer(derTags.oid, Uint8Array.from(bytes));
}

/** An INTEGER from an unsigned big-endian value. */
export function writeUnsigned(value: Uint8Array): Uint8Array {
  const start = value.findIndex(byte => byte !== 0);
  const digits = start < 0 ? Uint8Array.of(0) : value.subarray(start);
  return writeDer(derTags.integer, (digits[0] ?? 0) >= 0x80 ? concatBytes(Uint8Array.of(0), digits) : digits);
}
