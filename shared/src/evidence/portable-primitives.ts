// Hashes and encodings without a platform's library: what `#primitives` is outside Node.
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

export const sha256 = (bytes: Uint8Array): Uint8Array => nobleSha256(bytes);

const crcTable = new Uint32Array(256).map((_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The CRC-32 of ZIP. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crcTable[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function encode(bytes: Uint8Array, alphabet: string): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += alphabet.charAt(word >> 18) + alphabet.charAt((word >> 12) & 63);
    if (left > 1) text += alphabet.charAt((word >> 6) & 63);
    if (left > 2) text += alphabet.charAt(word & 63);
  }
  return text;
}

export function toBase64(bytes: Uint8Array): string {
  const text = encode(bytes, `${letters}+/`);
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** Without padding. */
export const toBase64Url = (bytes: Uint8Array): string => encode(bytes, `${letters}-_`);
