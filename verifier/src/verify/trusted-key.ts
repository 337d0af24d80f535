// Owns the trusted key file: the one thing that makes a signature mean something. It comes from the caller, never from
// an archive. Refuses unknown or doubled fields, other algorithms, a fingerprint that does not fit, and unsafe points.
import { digestOf, parseBase64 } from '@recordproof/shared/evidence/digest.ts';
import { parseSpki, spkiBytes } from '@recordproof/shared/evidence/ed25519.ts';
import { moment } from '@recordproof/shared/evidence/rfc3339.ts';
import { parseStrictJson } from '@recordproof/shared/evidence/strict-json.ts';
import {
  digestText,
  integer,
  nullable,
  objectOf,
  oneOf,
  ShapeError,
  text,
  urlName,
} from '@recordproof/shared/evidence/strict-shape.ts';

export const maxTrustedKeyBytes = 256 * 1024;

export type TrustedKey = {
  keyId: string;
  keyVersion: number;
  publicKeyFingerprint: string;
  /** The raw 32 bytes. */
  publicKey: Uint8Array;
  /** When it signed, in milliseconds since 1970; absent when nobody said so. */
  used?: { readonly from: number; readonly until: number | null };
};

/** The members that a trusted key file and an issuer's answer have in common. */
export const keyMembers = {
  algorithm: oneOf('EdDSA'),
  keyId: urlName,
  keyVersion: integer(1),
  publicKeyFingerprint: digestText,
  publicKeySpki: text(/^[A-Za-z0-9+/]+={0,2}$/, 'Base64'),
};

/** Null and absent mean that the key is still in use, where `usedFrom` is given. */
export const keyPeriodMembers = { usedFrom: moment, usedUntil: nullable(moment) };

const trustedKeyShape = objectOf(keyMembers, keyPeriodMembers);

/** Throws StrictJsonError or ShapeError; messages never repeat the file's text. */
export function parseTrustedKey(bytes: Uint8Array): TrustedKey {
  return toTrustedKey(trustedKeyShape(parseStrictJson(bytes, { maxBytes: maxTrustedKeyBytes }), ''));
}

export function toTrustedKey(members: ReturnType<typeof trustedKeyShape>): TrustedKey {
  const { keyId, keyVersion, publicKeyFingerprint, usedFrom, usedUntil } = members;
  let publicKey: Uint8Array;
  let fingerprint: string;
  try {
    const spki = parseBase64(members.publicKeySpki);
    if (spki.length !== spkiBytes) throw new RangeError('wrong length');
    publicKey = parseSpki(spki);
    fingerprint = digestOf(spki);
  } catch {
    throw new ShapeError('publicKeySpki', 'must be the Base64 SPKI encoding of a sound Ed25519 key');
  }
  if (fingerprint !== publicKeyFingerprint)
    throw new ShapeError('publicKeyFingerprint', 'is not the fingerprint of this key');
  const used = usedFrom === undefined ? {} : { used: { from: usedFrom, until: usedUntil ?? null } };
  return { keyId, keyVersion, publicKeyFingerprint, publicKey, ...used };
}
