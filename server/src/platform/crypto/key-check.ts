// Check value of a data key: distinguishes a wrong key from damaged bytes (docs/spec/content-encryption.md, section 7).
// It reveals nothing about the key.
import { hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

const label = Buffer.from('recordproof-key-check-v1', 'latin1');
const checkBytes = 16;

/** The purpose of the key: the file's nonce, and the binding digest of its envelope. */
export type KeyPurpose = { readonly fileNonce: Uint8Array; readonly digest: Uint8Array };

/** Lowercase hex. */
export function toKeyCheck(dataKey: KeyObject, { fileNonce, digest }: KeyPurpose): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(label.length);
  const info = Buffer.concat([length, label, digest]);
  return Buffer.from(hkdfSync('sha256', dataKey, fileNonce, info, checkBytes)).toString('hex');
}

/** True without a check value, as in envelopes of older servers. */
export function fitsKeyCheck(noted: string | null | undefined, dataKey: KeyObject, purpose: KeyPurpose): boolean {
  if (noted === null || noted === undefined) return true;
  const [expected, actual] = [Buffer.from(noted, 'hex'), Buffer.from(toKeyCheck(dataKey, purpose), 'hex')];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
