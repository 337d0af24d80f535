// Passkey challenges: time, random bytes and a keyed digest over both and the purpose, so that none is stored before it
// is answered. An answered one is stored, and valid once.
import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Time } from '../../platform/db/tables.ts';

const lifetimeMs = 5 * 60_000;
const randomLength = 16;
const timeLength = 6;
const headLength = timeLength + randomLength;

/** `purpose`: the use, with the account if known. */
const sign = (pepper: KeyObject, purpose: string, head: Buffer): Buffer =>
  createHmac('sha256', pepper).update(`passkey challenge\n${purpose}\n`).update(head).digest();

export function newChallenge(pepper: KeyObject, purpose: string, now: Time): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(headLength);
  head.writeUIntBE(now, 0, timeLength);
  randomBytes(randomLength).copy(head, timeLength);
  return new Uint8Array(Buffer.concat([head, sign(pepper, purpose, head)]));
}

type LiveChallenge = { readonly digest: string; readonly expiresAt: Time };

/** Returns null for a challenge that is forged, of another purpose, or expired. */
export function readChallenge(pepper: KeyObject, purpose: string, text: string, now: Time): LiveChallenge | null {
  const bytes = Buffer.from(text, 'base64url');
  const head = bytes.subarray(0, headLength);
  const expected = sign(pepper, purpose, head);
  const received = bytes.subarray(headLength);
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return null;
  const madeAt = head.readUIntBE(0, timeLength);
  if (madeAt > now + lifetimeMs || madeAt + lifetimeMs <= now) return null;
  return { digest: createHash('sha256').update(bytes).digest('base64url'), expiresAt: madeAt + 2 * lifetimeMs };
}

/** The challenge in the data signed by the browser; empty if there is none. */
export function findChallenge(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}
