// Strict Ed25519 verification: small-order points, non-canonical encodings, range of S, cofactorless equation.
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  add,
  basePoint,
  decodeX,
  eighthOrder,
  encode,
  encodePoint,
  inverse,
  multiply,
  groupOrder as order,
  type Point,
  fieldPrime as p,
} from '../../../test/support/curve.ts';
import { oddSignatures } from '../../../test/support/odd-signatures.ts';
import { parseHex, toUtf8 } from './digest.ts';
import { isSafePoint, isSafeSignature, isSignedBy, parseSpki, toSpki, type VerifyEd25519 } from './ed25519.ts';
import { isPublicKey } from './ed25519-points.ts';

const verifyNode: VerifyEd25519 = (publicKey, message, signature) =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.from(toSpki(publicKey)), format: 'der', type: 'spki' }),
    signature,
  );

const pair = generateKeyPairSync('ed25519');
const publicKey = parseSpki(new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' })));
const message = toUtf8('the message');
const signature = new Uint8Array(sign(null, message, pair.privateKey));

test('a valid signature verifies and a changed one does not', async () => {
  expect(await isSignedBy(publicKey, message, signature, verifyNode)).toBe(true);
  expect(await isSignedBy(publicKey, toUtf8('the massage'), signature, verifyNode)).toBe(false);
  for (const at of [0, 31, 32, 63]) {
    const changed = signature.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(await isSignedBy(publicKey, message, changed, verifyNode)).toBe(false);
  }
});

test('exactly the points whose order divides eight are rejected as small', () => {
  // Walk the torsion group from a point of order eight found by its y coordinate.
  const y = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
  const x = decodeX(y);
  expect(x).toBeDefined();
  let point: Point = [0n, 1n];
  const seen = new Set<bigint>();
  for (let i = 0; i < 8; i++) {
    point = add(point, [x ?? 0n, y]);
    seen.add(point[1]);
    expect(isSafePoint(encode(point[1])), `multiple ${i + 1}`).toBe(false);
    expect(isSafePoint(encode(point[1] | (1n << 255n)))).toBe(false);
  }
  expect(point).toEqual([0n, 1n]);
  expect(seen.size).toBe(5);
  expect(isSafePoint(encode((4n * inverse(5n)) % p)), 'the base point').toBe(true);
});

test('every non-canonical y is rejected', () => {
  for (let extra = 0n; extra < 19n; extra++) {
    expect(isSafePoint(encode(p + extra))).toBe(false);
    expect(isSafePoint(encode((p + extra) | (1n << 255n)))).toBe(false);
  }
  expect(isSafePoint(new Uint8Array(31))).toBe(false);
});

test('S must be below the group order', async () => {
  let s = 0n;
  for (let i = 63; i >= 32; i--) s = (s << 8n) | BigInt(signature[i] ?? 0);
  const malleable = Uint8Array.from([...signature.slice(0, 32), ...encode(s + order)]);
  expect(isSafeSignature(malleable)).toBe(false);
  expect(await isSignedBy(publicKey, message, malleable, () => true)).toBe(false);
  expect(isSafeSignature(Uint8Array.from([...signature.slice(0, 32), ...encode(order - 1n)]))).toBe(true);
});

test('a forged signature under a small-order key, which some libraries accept, is rejected first', async () => {
  const identity = encode(1n);
  const forged = Uint8Array.from([...encode(1n), ...new Uint8Array(32)]);
  const asked: string[] = [];
  const library: VerifyEd25519 = () => asked.push('asked') > 0;
  expect(await isSignedBy(identity, message, forged, library)).toBe(false);
  expect(await isSignedBy(publicKey, message, forged, library)).toBe(false);
  expect(asked).toEqual([]);
});

test('an exception of the library counts as invalid', async () => {
  const broken: VerifyEd25519 = () => {
    throw new Error('no such curve');
  };
  expect(await isSignedBy(publicKey, message, signature, broken)).toBe(false);
});

test('a key that was valid before is valid again, and each of its bits still counts', () => {
  for (let again = 0; again < 2; again++) expect(isPublicKey(publicKey)).toBe(true);
  for (let bit = 0; bit < 256; bit++) {
    const other = publicKey.slice();
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const y = other.toReversed().reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) & ((1n << 255n) - 1n);
    if (decodeX(y) === undefined) expect(isPublicKey(other), `bit ${bit}`).toBe(false);
  }
  const mixed = encodePoint(multiply(eighthOrder, 1n));
  for (let again = 0; again < 2; again++) expect(isPublicKey(mixed)).toBe(false);
});

test('a key with a small-order component is rejected, although it is on the curve', async () => {
  const mixed = encodePoint(add(multiply(basePoint, 12_345n), eighthOrder));
  expect(isSafePoint(mixed)).toBe(true);
  expect(isPublicKey(mixed)).toBe(false);
  expect(() => parseSpki(toSpki(mixed))).toThrow(RangeError);
  expect(isPublicKey(encodePoint(multiply(basePoint, 12_345n)))).toBe(true);
});

test('the equation without cofactor is used: signatures valid only with it are rejected', async () => {
  for (const { key, message: odd, signature: given, expected } of oddSignatures())
    expect(await isSignedBy(key, odd, given, verifyNode)).toBe(expected);
});

test('a point that is not on the curve is rejected as a key, and never verifies', async () => {
  let y = 2n;
  while (decodeX(y) !== undefined) y++;
  expect(() => parseSpki(toSpki(encode(y)))).toThrow(RangeError);
  expect(await isSignedBy(encode(y), message, signature, verifyNode)).toBe(false);
});

test('only the canonical encoding of an Ed25519 key is accepted', () => {
  const spki = toSpki(publicKey);
  expect(parseSpki(spki)).toEqual(publicKey);
  expect(() => parseSpki(spki.slice(0, -1))).toThrow(RangeError);
  expect(() => parseSpki(Uint8Array.from([...spki, 0]))).toThrow(RangeError);
  expect(() => parseSpki(toSpki(parseHex('01'.padEnd(64, '0'))))).toThrow(RangeError);
  const x25519 = spki.slice();
  x25519[8] = 0x6e;
  expect(() => parseSpki(x25519)).toThrow(RangeError);
});
