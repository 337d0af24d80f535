// Verification of a key retirement certificate (docs/spec/key-retirement.md): every check runs and is reported. A
// signature counts only under a key supplied by the caller. Makes no connection.
import { isSignedBy } from '@recordproof/shared/evidence/ed25519.ts';
import {
  findContradiction,
  isSameSums,
  NotCanonicalError,
  parseRetirementDocument,
  type RetirementCertificate,
  type RetirementDocument,
  readRetirementJws,
} from '@recordproof/shared/evidence/retirement-certificate.ts';
import { StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';
import type { Unreadable } from '../verify/case-file.ts';
import type { Outcome } from '../verify/report.ts';
import { parseTrustedKey } from '../verify/trusted-key.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';
import { type ReadItems, readItems } from './read-items.ts';

type Status = 'PASS' | 'FAIL' | 'OPEN' | 'ERROR';
type CheckId =
  | 'certificate.readable'
  | 'certificate.figures'
  | 'certificate.signature'
  | 'items.digest'
  | 'items.figures';

export type RetirementCheck = {
  readonly id: CheckId;
  readonly status: Status;
  /** `OK` if passed; stable, like the id (docs/spec/key-retirement.md, section 4). */
  readonly code: string;
  readonly message: string;
};

export type RetirementReport = {
  readonly outcome: Outcome;
  readonly checks: readonly RetirementCheck[];
  /** Trustworthy only if the outcome is VALID. */
  readonly certificate?: RetirementCertificate;
};

type RetirementInputs = {
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
    pass('certificate.readable', 'is written as a certificate is'),
    problem === null
      ? pass('certificate.figures', 'its figures agree with each other')
      : fail('certificate.figures', 'FIGURES_CONTRADICT', problem),
    await checkSignature(read, inputs.trustedKey, platform),
    ...(await checkItems(certificate, inputs.items, platform)),
  ];
  return { ...toReport(checks), certificate };
}

const pass = (id: CheckId, message: string): RetirementCheck => ({ id, status: 'PASS', code: 'OK', message });
const fail = (id: CheckId, code: string, message: string): RetirementCheck => ({ id, status: 'FAIL', code, message });

function readDocument(bytes: Uint8Array | Unreadable): RetirementDocument | RetirementCheck {
  const id = 'certificate.readable';
  if (!(bytes instanceof Uint8Array))
    return { id, status: 'ERROR', code: 'CERTIFICATE_UNREADABLE', message: 'the certificate cannot be read' };
  try {
    return parseRetirementDocument(bytes);
  } catch (problem) {
    return fail(id, toJsonCode(problem), `not a certificate of key retirement: ${(problem as Error).message}`);
  }
}

function toJsonCode(problem: unknown): string {
  if (problem instanceof StrictJsonError) return problem.code;
  return problem instanceof NotCanonicalError ? 'JSON_NOT_CANONICAL' : 'JSON_SHAPE';
}

async function checkSignature(
  document: RetirementDocument,
  keyBytes: RetirementInputs['trustedKey'],
  platform: VerifierPlatform,
): Promise<RetirementCheck> {
  const id = 'certificate.signature';
  const jws = readRetirementJws(document);
  if ('code' in jws) return fail(id, jws.code, jws.message);
  const open = (code: string, message: string) => ({ id, status: 'OPEN', code, message }) as const;
  const broken = (code: string, message: string) => ({ id, status: 'ERROR', code, message }) as const;
  if (keyBytes === undefined)
    return open('TRUSTED_KEY_MISSING', 'no trusted key was given, so anybody could have signed it');
  if (!(keyBytes instanceof Uint8Array)) return broken('TRUSTED_KEY_UNREADABLE', 'the trusted key cannot be read');
  const key = tryTo(() => parseTrustedKey(keyBytes));
  if (key instanceof Error) return broken('TRUSTED_KEY_INVALID', `the trusted key: ${key.message}`);
  const { signature } = document.certificate;
  if (signature.keyId !== key.keyId || signature.keyVersion !== key.keyVersion)
    return open('TRUSTED_KEY_OTHER', 'it names another signing key than the trusted one');
  if (signature.publicKeyFingerprint !== key.publicKeyFingerprint)
    return fail(id, 'KEY_FINGERPRINT_MISMATCH', 'it names the trusted key, with the fingerprint of another');
  return (await isSignedBy(key.publicKey, jws.signingInput, jws.signature, platform.verifyEd25519))
    ? pass(id, 'is signed by the trusted key')
    : fail(id, 'SIGNATURE_INVALID', 'the signature is not that of the trusted key');
}

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
  if (read === null)
    return [{ id: digest, status: 'ERROR', code: 'ITEMS_UNREADABLE', message: 'the items cannot be read' }];
  if (read.digest !== certificate.items.digest || read.bytes !== certificate.items.bytes)
    return [fail(digest, 'ITEMS_DIGEST_MISMATCH', 'these are not the items that were signed')];
  return [pass(digest, 'these are the items that were signed'), compareFigures(certificate, read)];
}

function compareFigures(certificate: RetirementCertificate, { sums, problem }: ReadItems): RetirementCheck {
  const id = 'items.figures';
  if (sums === null) return fail(id, 'ITEM_MALFORMED', problem ?? 'a line is no item');
  return isSameSums(certificate, sums)
    ? pass(id, 'counted again they give the figures of the certificate')
    : fail(id, 'ITEMS_FIGURES_MISMATCH', 'counted again they give other figures');
}

const outcomeOf: Readonly<Record<Status, Outcome>> = {
  FAIL: 'INVALID',
  ERROR: 'ERROR',
  OPEN: 'INDETERMINATE',
  PASS: 'VALID',
};

/** The most severe check decides. */
function toReport(checks: readonly RetirementCheck[]): RetirementReport {
  const gravest = (['FAIL', 'ERROR', 'OPEN'] as const).find(status => checks.some(check => check.status === status));
  return { outcome: outcomeOf[gravest ?? 'PASS'], checks };
}
