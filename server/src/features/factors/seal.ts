// Protection of stored factor secrets: sealed with a key derived from the installation's pepper and bound to the
// account, or kept as a keyed digest. A copy of the database alone reveals neither.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Key } from '../../platform/db/tables.ts';

const nonceBytes = 12;
const tagBytes = 16;
const options = { authTagLength: tagBytes };

const sealingKey = (pepper: KeyObject): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', pepper, '', 'recordproof sealed factor secrets', 32)));

const bindingOf = (userId: Key): Buffer => Buffer.from(`totp\n${userId}`);

export function sealSecret(pepper: KeyObject, userId: Key, secret: Uint8Array): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(pepper), nonce, options).setAAD(bindingOf(userId));
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

export function openSecret(pepper: KeyObject, userId: Key, sealed: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(pepper), bytes.subarray(0, nonceBytes), options);
  decipher.setAAD(bindingOf(userId)).setAuthTag(bytes.subarray(-tagBytes));
  return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]));
}

export const digestRecoveryCode = (pepper: KeyObject, userId: Key, code: string): string =>
  createHmac('sha256', pepper).update(`recovery code\n${userId}\n${code}`).digest('base64url');
