// One-time codes (RFC 6238: SHA-1, six digits, 30 seconds, one step of tolerance either way) and recovery codes.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Time } from '../../platform/db/tables.ts';

const period = 30;
const secretBytes = 20;
const window = 1;

export const newTotpSecret = (): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(secretBytes));

const toTotp = (secret: Uint8Array<ArrayBuffer>, label = ''): TOTP =>
  new TOTP({
    issuer: 'RecordProof',
    label,
    period,
    digits: 6,
    algorithm: 'SHA1',
    secret: new Secret({ buffer: secret.buffer }),
  });

/** For an authenticator app: as text, and as the content of a QR code. `label` names the account. */
export function describeTotp(secret: Uint8Array<ArrayBuffer>, label: string): { secret: string; uri: string } {
  const totp = toTotp(secret, label);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The time step of the code; null for a wrong code. */
export function findStep(secret: Uint8Array<ArrayBuffer>, code: string, now: Time): number | null {
  const delta = toTotp(secret).validate({ token: code, timestamp: now, window });
  return delta === null ? null : TOTP.counter({ period, timestamp: now }) + delta;
}

const recoveryCodes = 10;
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** 80 bits, without separators. */
const newRecoveryCode = (): string => Array.from(randomBytes(16), byte => alphabet[byte % 32]).join('');

export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCodes }, newRecoveryCode);

export const toReadable = (code: string): string => code.replaceAll(/(.{4})(?=.)/g, '$1-');
