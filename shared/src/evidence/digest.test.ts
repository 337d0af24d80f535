// Digests and encodings: hex, base64 and base64url, comparison and concatenation of bytes, strict UTF-8.
import { expect, test } from 'vitest';
import {
  concatBytes,
  digestOf,
  isSameBytes,
  joinBytes,
  parseBase64,
  parseBase64Url,
  parseDigest,
  parseHex,
  parseUtf8,
  toBase64,
  toBase64Url,
  toHex,
  toUtf8,
} from './digest.ts';

test('a digest is written with its algorithm and lowercase hex', () => {
  expect(digestOf(toUtf8('abc'))).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a digest in any other form is rejected', () => {
  const good = digestOf(toUtf8('abc'));
  expect(toHex(parseDigest(good))).toBe(good.slice(7));
  for (const bad of [good.toUpperCase(), good.slice(7), `${good}0`, good.slice(0, -1), ` ${good}`, `${good}\n`])
    expect(() => parseDigest(bad)).toThrow(RangeError);
});

test('base64 and base64url agree with the platform for every length', () => {
  for (let length = 0; length < 70; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + length * 7) & 0xff);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
    expect(parseBase64(toBase64(bytes))).toEqual(bytes);
    expect(parseBase64Url(toBase64Url(bytes))).toEqual(bytes);
  }
});

test('spare bits, wrong padding and invalid characters are rejected', () => {
  for (const bad of ['QQ', 'QR==', 'QQ=', 'Q===', '=', 'QUI', 'QUJ=', 'Q\u0100==', 'QQ==\n', '-_-_'])
    expect(() => parseBase64(bad), bad).toThrow(RangeError);
  for (const bad of ['QQ==', 'QR', 'Q', 'QUJ', '+/+/', 'Q\u0141'])
    expect(() => parseBase64Url(bad), bad).toThrow(RangeError);
});

test('hex is lowercase with whole bytes only', () => {
  expect(parseHex('00ff10')).toEqual(Uint8Array.of(0, 255, 16));
  for (const bad of ['0', '0g', 'AA', '0x00', ' 00']) expect(() => parseHex(bad)).toThrow(RangeError);
});

test('bytes are compared by value and joined in order', () => {
  expect(isSameBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
  expect(isSameBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
  expect(isSameBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false);
  expect(concatBytes(Uint8Array.of(1), Uint8Array.of(), Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3));
});

test('a million parts are joined: a server may send its response byte by byte', () => {
  const joined = joinBytes(new Array<Uint8Array>(1_000_000).fill(Uint8Array.of(7)));
  expect(joined.length).toBe(1_000_000);
  expect(joined.at(-1)).toBe(7);
});

test('malformed UTF-8 throws, and a byte order mark is kept', () => {
  expect(() => parseUtf8(Uint8Array.of(0xc0, 0x80))).toThrow(TypeError);
  expect(parseUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
});
