// Hashes and encodings by Node's libraries; `#primitives` is this module in Node and evidence/portable-primitives.ts
// elsewhere. Both give the same results.
import { hash } from 'node:crypto';
import { crc32 as zlibCrc32 } from 'node:zlib';

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = hash('sha256', bytes, 'buffer');
  return new Uint8Array(digest.buffer, digest.byteOffset, digest.length);
}

/** The CRC-32 of ZIP. */
export const crc32 = (bytes: Uint8Array): number => zlibCrc32(bytes);

export const toBase64 = (bytes: Uint8Array): string => toBuffer(bytes).toString('base64');

/** Without padding. */
export const toBase64Url = (bytes: Uint8Array): string => toBuffer(bytes).toString('base64url');
