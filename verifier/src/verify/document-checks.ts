// Checks of signed documents other than proofs (receipts, retirement certificates): every check is reported, and the most
// severe one decides. A signature counts only under a key supplied by the caller.
import { isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import type { ParsedJws } from '@recordproof/shared/evidence/jws.ts';
import { clockSkewMs } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { Unreadable } from './case-file.ts';
import type { Outcome } from './report.ts';
import { parseTrustedKey } from './trusted-key.ts';
import type { VerifierPlatform } from './verifier-platform.ts';

type Status = 'PASS' | 'FAIL' | 'OPEN' | 'ERROR';

export type DocumentCheck<Id extends string> = {
  readonly id: Id;
  readonly status: Status;
  /** `OK` if passed; stable, like the id (section 4 of the document's specification). */
  readonly code: string;
  readonly message: string;
};

export type DocumentReport<Id extends string> = {
  readonly outcome: Outcome;
  readonly checks: readonly DocumentCheck<Id>[];
};

const toCheck =
  (status: Status) =>
  <Id extends string>(id: Id, code: string, message: string): DocumentCheck<Id> => ({ id, status, code, message });
export const fail = toCheck('FAIL');
export const open = toCheck('OPEN');
export const broken = toCheck('ERROR');
export const pass = <Id extends string>(id: Id, message: string) => toCheck('PASS')(id, 'OK', message);

const outcomeOf: Readonly<Record<Status, Outcome>> = {
  FAIL: 'INVALID',
  ERROR: 'ERROR',
  OPEN: 'INDETERMINATE',
  PASS: 'VALID',
};

/** The most severe check decides. */
export function toReport<Id extends string>(checks: readonly DocumentCheck<Id>[]): DocumentReport<Id> {
  const gravest = (['FAIL', 'ERROR', 'OPEN'] as const).find(status => checks.some(check => check.status === status));
  return { outcome: outcomeOf[gravest ?? 'PASS'], checks };
}

/** For reports as text. */
export const marks: Readonly<Record<Status, string>> = {
  PASS: 'passed',
  FAIL: 'FAILED',
  OPEN: 'open',
  ERROR: 'ERROR',
};

export function tryTo<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (problem) {
    return problem instanceof Error ? problem : new Error('it cannot be read');
  }
}

type Signed = {
  readonly jws: ParsedJws;
  /** RFC 3339; no later than the signature. */
  readonly datedAt: string;
  readonly signature: {
    readonly keyId: string;
    readonly keyVersion: number;
    readonly publicKeyFingerprint: string;
  };
};

const nameOf = ({ keyId, keyVersion }: { readonly keyId: string; readonly keyVersion: number }): string =>
  `${keyId}, version ${keyVersion}`;

export async function checkSignature<Id extends string>(
  id: Id,
  { jws, datedAt, signature }: Signed,
  keyBytes: Uint8Array | Unreadable | undefined,
  platform: VerifierPlatform,
): Promise<DocumentCheck<Id>> {
  if (keyBytes === undefined)
    return open(id, 'TRUSTED_KEY_MISSING', 'no trusted key was given, so anyone could have signed it');
  if (!(keyBytes instanceof Uint8Array)) return broken(id, 'TRUSTED_KEY_UNREADABLE', 'the trusted key cannot be read');
  const key = tryTo(() => parseTrustedKey(keyBytes));
  if (key instanceof Error) return broken(id, 'TRUSTED_KEY_INVALID', `the trusted key: ${key.message}`);
  if (signature.keyId !== key.keyId || signature.keyVersion !== key.keyVersion)
    return open(
      id,
      'TRUSTED_KEY_OTHER',
      `it names the signing key ${nameOf(signature)}, and the trusted key is ${nameOf(key)}: give the named key`,
    );
  if (signature.publicKeyFingerprint !== key.publicKeyFingerprint)
    return fail(
      id,
      'KEY_FINGERPRINT_MISMATCH',
      `it names the signing key ${nameOf(key)} with the fingerprint ${signature.publicKeyFingerprint}, ` +
        `and the trusted key has ${key.publicKeyFingerprint}: do not trust it`,
    );
  if (Date.parse(datedAt) > (key.used?.until ?? Number.POSITIVE_INFINITY) + clockSkewMs)
    return fail(id, 'KEY_NOT_IN_USE', `it is dated ${datedAt}, after the trusted key was retired`);
  return (await isSignedBy(key.publicKey, jws.signingInput, jws.signature, platform.verifyEd25519))
    ? pass(id, 'is signed by the trusted key')
    : fail(id, 'SIGNATURE_INVALID', 'the signature is not that of the trusted key');
}
