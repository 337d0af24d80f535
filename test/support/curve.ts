// The Ed25519 curve in big integers: slow, plain and independent, for points that no library makes.
export const fieldPrime = 2n ** 255n - 19n;
export const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;
const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let square = base % fieldPrime;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % fieldPrime;
    square = (square * square) % fieldPrime;
  }
  return result;
};
export const inverse = (value: bigint) => power(value, fieldPrime - 2n);
const d = (fieldPrime - ((121665n * inverse(121666n)) % fieldPrime)) % fieldPrime;
export type Point = readonly [bigint, bigint];
export const add = ([x1, y1]: Point, [x2, y2]: Point): Point => {
  const k = (d * (((((x1 * x2) % fieldPrime) * y1) % fieldPrime) * y2)) % fieldPrime;
  const x = ((x1 * y2 + x2 * y1) % fieldPrime) * inverse((1n + k) % fieldPrime);
  const y = ((y1 * y2 + x1 * x2) % fieldPrime) * inverse((1n - k + fieldPrime) % fieldPrime);
  return [x % fieldPrime, y % fieldPrime];
};
export const encode = (value: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
export const decodeX = (y: bigint): bigint | undefined => {
  const square = ((y * y - 1n + fieldPrime) * inverse((d * y * y + 1n) % fieldPrime)) % fieldPrime;
  let x = power(square, (fieldPrime + 3n) / 8n);
  if ((x * x) % fieldPrime !== square) x = (x * power(2n, (fieldPrime - 1n) / 4n)) % fieldPrime;
  return (x * x) % fieldPrime === square ? x : undefined;
};

export const basePoint: Point = [
  15112221349535400772501151409588531511454012693041857206046113283949847762202n,
  (4n * inverse(5n)) % fieldPrime,
];

export const eighthOrder: Point = (() => {
  const y = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
  return [decodeX(y) ?? 0n, y];
})();

export function multiply(point: Point, scalar: bigint): Point {
  let result: Point = [0n, 1n];
  let doubled = point;
  for (let rest = scalar; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result, doubled);
    doubled = add(doubled, doubled);
  }
  return result;
}

/** RFC 8032: y with the lowest bit of x on top. */
export const encodePoint = ([x, y]: Point): Uint8Array => encode(y | ((x & 1n) << 255n));

export const decodeNumber = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
