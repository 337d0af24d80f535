// The trusted key file, which gives a signature its meaning. It comes from the caller, never from an archive. Rejects
// unknown or duplicate fields, other algorithms, a wrong fingerprint, and unsafe points.
import { digestOf, parseBase64 } from '@recordproof/shared/evidence/digest.ts';
import { parseSpki, spkiBytes } from '@recordproof/shared/evidence/ed25519.ts';
import { timestamp } from '@recordproof/shared/evidence/rfc3339.ts';
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
  /** When it was in use, in milliseconds since 1970; absent if unknown. */
  used?: { readonly from: number; readonly until: number | null } | undefined;
};

/** The members common to a trusted key file and an issuer's answer. */
export const keyMembers = {
  algorithm: oneOf('EdDSA'),
  keyId: urlName,
  keyVersion: integer(1),
  publicKeyFingerprint: digestText,
  publicKeySpki: text(/^[A-Za-z0-9+/]+={0,2}$/, 'Base64'),
};

/** If `usedFrom` is given, null and absent mean that the key is still in use. */
export const keyPeriodMembers = { usedFrom: timestamp, usedUntil: nullable(timestamp) };

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
  const used = usedFrom === undefined ? undefined : { from: usedFrom, until: usedUntil ?? null };
  return { keyId, keyVersion, publicKeyFingerprint, publicKey, used };
}
