// Random identifiers from the operating system's generator, and database ids in the API.
import { randomBytes, randomInt } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` base62 characters without bias: 22 hold 130 bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}

export const newExternalId = (): string => `U${randomBase62(22)}`;
export const newTokenId = (): string => randomBytes(16).toString('base64url');
export const newMailCode = (): string => String(randomInt(0, 1_000_000)).padStart(6, '0');

/** The database key of an id in the API; an impossible id becomes a key that matches nothing. */
export function toKey(wireId: string): number {
  const key = Number(wireId);
  return Number.isSafeInteger(key) ? key : -1;
}

export const toWireId = (key: number): string => String(key);
