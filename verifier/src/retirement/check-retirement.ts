// Owns the verdict over a certificate of key retirement (docs/spec/key-retirement.md): every check is run and told. Only a
// key that the caller brings makes a signature mean something. Opens no connection.
import { isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import {
  findContradiction,
  isSameSums,
  parseRetirementDocument,
  type RetirementCertificate,
  type RetirementDocument,
  toRetirementJws,
} from '@recordproof/shared/evidence/retirement-certificate.ts';
import type { Unreadable } from '../verify/case-file.ts';
import type { Outcome } from '../verify/report.ts';
import { parseTrustedKey, type TrustedKey } from '../verify/trusted-key.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';
import { type ReadItems, readItems } from './read-items.ts';

type Status = 'PASS' | 'FAIL' | 'OPEN' | 'ERROR';
export type RetirementCheck = { readonly id: string; readonly status: Status; readonly message: string };

export type RetirementReport = {
  readonly outcome: Outcome;
  readonly checks: readonly RetirementCheck[];
  /** Believed only where the outcome is VALID. */
  readonly certificate?: RetirementCertificate;
};

export type RetirementInputs = {
  readonly document: Uint8Array | Unreadable;
  readonly trustedKey?: Uint8Array | Unreadable | undefined;
  readonly items?: AsyncIterable<Uint8Array> | undefined;
};

export async function checkRetirement(inputs: RetirementInputs, platform: VerifierPlatform): Promise<RetirementReport> {
  const read = readDocument(inputs.document);
  if ('status' in read) return toReport([read]);
  const { certificate } = read;
  const problem = findContradiction(certificate);
  const checks: RetirementCheck[] = [
    { id: 'certificate.readable', status: 'PASS', message: 'is written as a certificate is' },
    problem === null
      ? { id: 'certificate.figures', status: 'PASS', message: 'its figures agree with each other' }
      : { id: 'certificate.figures', status: 'FAIL', message: problem },
    await checkSignature(read, inputs.trustedKey, platform),
    ...(await checkItems(certificate, inputs.items, platform)),
  ];
  return { ...toReport(checks), certificate };
}

function readDocument(bytes: Uint8Array | Unreadable): RetirementDocument | RetirementCheck {
  const id = 'certificate.readable';
  if (!(bytes instanceof Uint8Array)) return { id, status: 'ERROR', message: 'the certificate cannot be read' };
  try {
    return parseRetirementDocument(bytes);
  } catch (problem) {
    return { id, status: 'FAIL', message: `not a certificate of key retirement: ${(problem as Error).message}` };
  }
}

async function checkSignature(
  document: RetirementDocument,
  keyBytes: RetirementInputs['trustedKey'],
  platform: VerifierPlatform,
): Promise<RetirementCheck> {
  const id = 'certificate.signature';
  const fail = (message: string) => ({ id, status: 'FAIL', message }) as const;
  const jws = tryTo(() => toRetirementJws(document));
  if (jws instanceof Error) return fail(jws.message);
  if (keyBytes === undefined)
    return { id, status: 'OPEN', message: 'no trusted key was given, so anybody could have signed it' };
  const key = keyBytes instanceof Uint8Array ? tryTo(() => parseTrustedKey(keyBytes)) : new Error('it cannot be read');
  if (key instanceof Error) return { id, status: 'ERROR', message: `the trusted key: ${key.message}` };
  if (!isNamed(document.certificate, key)) return fail('it names another key than the trusted one');
  return (await isSignedBy(key.publicKey, jws.signingInput, jws.signature, platform.verifyEd25519))
    ? { id, status: 'PASS', message: 'is signed by the trusted key' }
    : fail('the signature is not that of the trusted key');
}

const isNamed = ({ signature }: RetirementCertificate, key: TrustedKey): boolean =>
  signature.keyId === key.keyId &&
  signature.keyVersion === key.keyVersion &&
  signature.publicKeyFingerprint === key.publicKeyFingerprint;

function tryTo<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (problem) {
    return problem instanceof Error ? problem : new Error('it cannot be read');
  }
}

async function checkItems(
  certificate: RetirementCertificate,
  items: RetirementInputs['items'],
  platform: VerifierPlatform,
): Promise<RetirementCheck[]> {
  if (items === undefined) return [];
  const digest = 'items.digest';
  const read = await readItems(items, platform).catch((): ReadItems | null => null);
  if (read === null) return [{ id: digest, status: 'ERROR', message: 'the items cannot be read' }];
  if (read.digest !== certificate.items.digest || read.bytes !== certificate.items.bytes)
    return [{ id: digest, status: 'FAIL', message: 'these are not the items that were signed' }];
  const figures = 'items.figures';
  return [
    { id: digest, status: 'PASS', message: 'these are the items that were signed' },
    read.sums !== null && isSameSums(certificate, read.sums)
      ? { id: figures, status: 'PASS', message: 'counted again they give the figures of the certificate' }
      : { id: figures, status: 'FAIL', message: read.problem ?? 'counted again they give other figures' },
  ];
}

const outcomeOf: Readonly<Record<Status, Outcome>> = {
  FAIL: 'INVALID',
  ERROR: 'ERROR',
  OPEN: 'INDETERMINATE',
  PASS: 'VALID',
};

/** The gravest decides. */
function toReport(checks: readonly RetirementCheck[]): RetirementReport {
  const gravest = (['FAIL', 'ERROR', 'OPEN'] as const).find(status => checks.some(check => check.status === status));
  return { outcome: outcomeOf[gravest ?? 'PASS'], checks };
}
