// Ed25519 checks before verification, so that every runtime gives the same result: rejects small-order and
// non-canonical points, keys outside the prime-order subgroup, and S ≥ L. The signature library is a parameter.
import { isSameBytes } from './digest.ts';
import { fieldPrime, groupOrder, isPoint, isPublicKey, littleEndian } from './ed25519-points.ts';

/**
 * Plain RFC 8032 Ed25519 verification of a 32-byte key, for example node:crypto or WebCrypto, by the equation without
 * the cofactor: the encoding of [S]B − [k]A is R. An exception counts as invalid.
 */
export type VerifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** Returns the 64-byte signature; the private key stays with the caller. */
export type SignEd25519 = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;

// The y coordinates of the eight points whose order divides 8; the sign bit is irrelevant.
const smallOrderY = new Set([
  0n,
  1n,
  fieldPrime - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  fieldPrime - 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
]);

/** A canonical encoding of a point of the curve that is not of small order. */
export const isSafePoint = (encoded: Uint8Array): boolean =>
  isPoint(encoded) && !smallOrderY.has(littleEndian(encoded) & ((1n << 255n) - 1n));

export const isSafeSignature = (signature: Uint8Array): boolean =>
  signature.length === 64 &&
  isSafePoint(signature.subarray(0, 32)) &&
  littleEndian(signature.subarray(32)) < groupOrder;

/** Returns false for anything malformed; never throws. */
export async function isSignedBy(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  verify: VerifyEd25519,
): Promise<boolean> {
  if (!isPublicKey(publicKey) || !isSafeSignature(signature)) return false;
  try {
    return (await verify(publicKey, message, signature)) === true;
  } catch {
    return false;
  }
}

const spkiPrefix = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);
export const spkiBytes = spkiPrefix.length + 32;

/** RFC 8410: the one DER encoding of an Ed25519 public key. */
export function toSpki(publicKey: Uint8Array): Uint8Array {
  if (publicKey.length !== 32) throw new RangeError('an Ed25519 public key has 32 bytes');
  const spki = new Uint8Array(spkiBytes);
  spki.set(spkiPrefix);
  spki.set(publicKey, spkiPrefix.length);
  return spki;
}

/** The raw key of an X.509 SubjectPublicKeyInfo; throws on any other algorithm or encoding, and unsafe points. */
export function parseSpki(spki: Uint8Array): Uint8Array {
  if (spki.length !== spkiBytes || !isSameBytes(spki.subarray(0, spkiPrefix.length), spkiPrefix))
    throw new RangeError('not the SPKI encoding of an Ed25519 key');
  const publicKey = spki.slice(spkiPrefix.length);
  if (!isPublicKey(publicKey)) throw new RangeError('this Ed25519 key is no canonical point of the prime-order group');
  return publicKey;
}
