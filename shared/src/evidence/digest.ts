// Text forms of digests and bytes: sha256:<hex>, lowercase hex, base64 and base64url. Only the canonical form is
// accepted, so that text can be compared as text.
import { sha256, toBase64, toBase64Url } from '#primitives';

export { sha256, toBase64, toBase64Url };

export const digestBytes = 32;
const prefix = 'sha256:';

export const toDigest = (hash: Uint8Array): string => `sha256:${toHex(hash)}`;

export const digestOf = (bytes: Uint8Array): string => toDigest(sha256(bytes));

/** The 32 bytes of `sha256:<lowercase hex>`; throws on any other form. */
export function parseDigest(text: string): Uint8Array {
  const bytes = new Uint8Array(digestBytes);
  parseDigestInto(text, bytes, 0);
  return bytes;
}

/** The same into part of a larger array, for many digests. */
export function parseDigestInto(text: string, target: Uint8Array, offset: number): void {
  if (text.length !== prefix.length + 2 * digestBytes || !text.startsWith(prefix))
    throw new RangeError('a digest is written sha256:<64 lowercase hex digits>');
  parseHexInto(text, prefix.length, target, offset);
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += hexOfByte[byte];
  return text;
}

// Indexed by character code; -1 for anything but lowercase hex digits.
const hexValues = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value++) hexValues[value.toString(16).charCodeAt(0)] = value;

export function parseHex(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw new RangeError('not lowercase hex');
  const bytes = new Uint8Array(text.length / 2);
  parseHexInto(text, 0, bytes, 0);
  return bytes;
}

function parseHexInto(text: string, start: number, target: Uint8Array, offset: number): void {
  for (let from = start, to = offset; from < text.length; from += 2, to++) {
    // Other characters are -1, which makes the combined value negative.
    const high = hexValues[text.charCodeAt(from)] ?? -1;
    const byte = (high << 4) | (hexValues[text.charCodeAt(from + 1)] ?? -1);
    if (byte < 0) throw new RangeError('not lowercase hex');
    target[to] = byte;
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const alphabets = { base64: `${letters}+/`, base64url: `${letters}-_` } as const;
type Alphabet = keyof typeof alphabets;

const valueTables = {
  base64: valuesOf(alphabets.base64),
  base64url: valuesOf(alphabets.base64url),
};

function valuesOf(alphabet: string): Int8Array {
  const values = new Int8Array(128).fill(-1);
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
  return values;
}

function decode(text: string, kind: Alphabet): Uint8Array {
  if (text.length % 4 === 1) throw new RangeError(`not ${kind}`);
  const values = valueTables[kind];
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let word = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const value = values[text.charCodeAt(i)] ?? -1;
    if (value < 0) throw new RangeError(`not ${kind}`);
    word = ((word << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (word >> bits) & 0xff;
    }
  }
  if ((word & ((1 << bits) - 1)) !== 0) throw new RangeError(`not canonical ${kind}`);
  return bytes;
}

/** Unpadded base64url whose unused bits are zero. */
export const parseBase64Url = (text: string): Uint8Array => decode(text, 'base64url');

/** Padded base64 whose unused bits are zero. */
export function parseBase64(text: string): Uint8Array {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (text.length % 4 !== 0) throw new RangeError('not base64');
  return decode(text.slice(0, text.length - padding), 'base64');
}

export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

export const concatBytes = (...parts: readonly Uint8Array[]): Uint8Array => joinBytes(parts);

/** For any number of parts, such as the blocks of a response: that many arguments of a call would exceed the stack. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const encoder = new TextEncoder();

export const toUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Strict: throws on malformed UTF-8 and keeps a byte order mark visible. */
export const parseUtf8 = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
