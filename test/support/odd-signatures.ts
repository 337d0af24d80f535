// Signatures that libraries judge differently: small-order, non-canonical and mixed-order points, S out of range.
import { createHash } from 'node:crypto';
import { concatBytes, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  add,
  basePoint,
  decodeNumber,
  eighthOrder,
  encode,
  encodePoint,
  fieldPrime,
  groupOrder,
  multiply,
  type Point,
} from './curve.ts';

export type OddSignature = {
  key: Uint8Array;
  message: Uint8Array;
  signature: Uint8Array;
  expected: boolean;
};

const secret = 0x1234567890abcdefn;
const nonce = 0xfedcba0987654321n;
const honest = multiply(basePoint, secret);

/** A signature by `secret` and `nonce` under the given encodings of key and R. */
function signUnder(key: Uint8Array, r: Uint8Array, message: Uint8Array): Uint8Array {
  const k =
    decodeNumber(
      createHash('sha512')
        .update(concatBytes(r, key, message))
        .digest(),
    ) % groupOrder;
  return concatBytes(r, encode((nonce + k * secret) % groupOrder));
}

export function oddSignatures(): OddSignature[] {
  const message = toUtf8('an odd message');
  const [key, r] = [encodePoint(honest), encodePoint(multiply(basePoint, nonce))];
  const good = signUnder(key, r, message);
  const s = decodeNumber(good.slice(32));
  const items: OddSignature[] = [
    { key, message, signature: good, expected: true },
    { key, message, signature: concatBytes(r, encode(s + groupOrder)), expected: false },
    { key, message, signature: concatBytes(r, encode(2n ** 256n - 1n)), expected: false },
  ];
  for (const point of smallOrderEncodings()) {
    // With a key or R of small order, S = 0 or the honest S satisfies some form of the equation.
    items.push({ key: point, message, signature: concatBytes(point, encode(0n)), expected: false });
    items.push({ key, message, signature: concatBytes(point, encode(s)), expected: false });
    items.push({ key: point, message, signature: concatBytes(r, encode(nonce)), expected: false });
  }
  return [...items, ...mixedOrder(key, r)];
}

function smallOrderEncodings(): Uint8Array[] {
  const points = Array.from({ length: 8 }, (_, i) => multiply(eighthOrder, BigInt(i)));
  const nonCanonical = [0n, 1n].flatMap(y => [0n, 1n].map(sign => encode((fieldPrime + y) | (sign << 255n))));
  return [...points.map(encodePoint), ...nonCanonical];
}

/** Points of the large order with a small-order part: with the cofactor they verify; here such a key is rejected. */
function mixedOrder(key: Uint8Array, r: Uint8Array): OddSignature[] {
  const mix = (point: Point) => encodePoint(add(point, eighthOrder));
  const [mixedKey, mixedR] = [mix(honest), mix(multiply(basePoint, nonce))];
  return Array.from({ length: 16 }, (_, i) => toUtf8(`message ${i}`)).flatMap(message => [
    { key: mixedKey, message, signature: signUnder(mixedKey, r, message), expected: false },
    { key, message, signature: signUnder(key, mixedR, message), expected: false },
  ]);
}
