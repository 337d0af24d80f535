// Valid Ed25519 public keys: encodings of points in the prime-order subgroup only. With a small-order component,
// libraries disagree on the same signature. Handles public values only, so it need not be constant-time.
import { BoundedMap } from '../bounded-map.ts';
import { toHex } from './digest.ts';

export const fieldPrime = 2n ** 255n - 19n;
export const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

const curveD = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
/** 2^((p - 1) / 4): a square root of -1. */
const rootOfMinusOne = 19681161376707505956807079304988542015446066515923890162744021073123829784752n;

const reduced = (value: bigint): bigint => {
  const rest = value % fieldPrime;
  return rest < 0n ? rest + fieldPrime : rest;
};

function squared(base: bigint, times: number): bigint {
  let result = base;
  for (let done = 0; done < times; done++) result = (result * result) % fieldPrime;
  return result;
}

/** base^((p - 5) / 8), an exponent of 250 ones, a zero and a one: each step joins two runs of ones. */
function powerForRoot(base: bigint): bigint {
  const join = (high: bigint, low: bigint, bits: number): bigint => (squared(high, bits) * low) % fieldPrime;
  const two = join(base, base, 1);
  const five = join(join(two, two, 2), base, 1);
  const ten = join(five, five, 5);
  const twenty = join(ten, ten, 10);
  const forty = join(twenty, twenty, 20);
  const eighty = join(forty, forty, 40);
  const all = join(join(join(eighty, eighty, 80), eighty, 80), ten, 10);
  return join(all, base, 2);
}

export function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value;
}

/** Extended coordinates: x = X/Z, y = Y/Z, xy = T/Z. */
type Point = readonly [X: bigint, Y: bigint, Z: bigint, T: bigint];

const neutral: Point = [0n, 1n, 1n, 0n];

function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = ((y1 - x1) * (y2 - x2)) % fieldPrime;
  const b = ((y1 + x1) * (y2 + x2)) % fieldPrime;
  const c = (((2n * t1 * t2) % fieldPrime) * curveD) % fieldPrime;
  const d = (2n * z1 * z2) % fieldPrime;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [(e * f) % fieldPrime, (g * h) % fieldPrime, (f * g) % fieldPrime, (e * h) % fieldPrime];
}

/** The x of the given parity for y (RFC 8032 section 5.1.3); undefined if there is none. */
function findX(y: bigint, isOdd: boolean): bigint | undefined {
  const [u, v] = [reduced(y * y - 1n), reduced(curveD * y * y + 1n)];
  const v3 = (v * v * v) % fieldPrime;
  const v7 = (v3 * v3 * v) % fieldPrime;
  let x = (((u * v3) % fieldPrime) * powerForRoot((u * v7) % fieldPrime)) % fieldPrime;
  const square = (v * x * x) % fieldPrime;
  if (square !== u) {
    if (square !== reduced(-u)) return undefined;
    x = (x * rootOfMinusOne) % fieldPrime;
  }
  if (x === 0n && isOdd) return undefined;
  return (x & 1n) === (isOdd ? 1n : 0n) ? x : fieldPrime - x;
}

/** A canonical encoding of any point of the curve. */
export function isPoint(encoded: Uint8Array): boolean {
  if (encoded.length !== 32) return false;
  const whole = littleEndian(encoded);
  const y = whole & ((1n << 255n) - 1n);
  return y < fieldPrime && findX(y, whole >> 255n === 1n) !== undefined;
}

/** Keys that were found valid: few keys sign many things, and the check takes most of the time of a verification. */
const validKeys = new BoundedMap<string, true>(256);

/** Whether it is the canonical encoding of a point of the group's order; the neutral element is rejected. */
export function isPublicKey(encoded: Uint8Array): boolean {
  if (encoded.length !== 32) return false;
  const name = toHex(encoded);
  if (validKeys.use(name)) return true;
  const isValid = isInGroup(encoded);
  if (isValid) validKeys.set(name, true);
  return isValid;
}

function isInGroup(encoded: Uint8Array): boolean {
  const whole = littleEndian(encoded);
  const y = whole & ((1n << 255n) - 1n);
  if (y >= fieldPrime || y === 1n) return false;
  const x = findX(y, whole >> 255n === 1n);
  if (x === undefined) return false;
  let multiple = neutral;
  let doubled: Point = [x, y, 1n, (x * y) % fieldPrime];
  for (let rest = groupOrder; rest > 0n; rest >>= 1n) {
    if (rest & 1n) multiple = add(multiple, doubled);
    doubled = add(doubled, doubled);
  }
  return reduced(multiple[0]) === 0n && reduced(multiple[1] - multiple[2]) === 0n;
}
