// Verification of a key retirement certificate (docs/spec/key-retirement.md): every check runs and is reported. A
// signature counts only under a key supplied by the caller. Makes no connection.
import {
  findContradiction,
  isSameSums,
  NotCanonicalError,
  parseRetirementDocument,
  type RetirementCertificate,
  type RetirementDocument,
  readRetirementJws,
} from '@recordproof/shared/evidence/retirement-certificate.ts';
import type { RotationSums } from '@recordproof/shared/evidence/rotation-item.ts';
import { StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';
import type { Unreadable } from '../verify/case-file.ts';
import {
  broken,
  checkSignature,
  type DocumentCheck,
  type DocumentReport,
  fail,
  pass,
  toReport,
} from '../verify/document-checks.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';
import { type ReadItems, readItems } from './read-items.ts';

type CheckId =
  | 'certificate.readable'
  | 'certificate.figures'
  | 'certificate.signature'
  | 'items.digest'
  | 'items.figures';

type RetirementCheck = DocumentCheck<CheckId>;

export type RetirementReport = DocumentReport<CheckId> & {
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
    await checkSigner(read, inputs.trustedKey, platform),
    ...(await checkItems(certificate, inputs.items, platform)),
  ];
  return { ...toReport(checks), certificate };
}

function readDocument(bytes: Uint8Array | Unreadable): RetirementDocument | RetirementCheck {
  const id = 'certificate.readable';
  if (!(bytes instanceof Uint8Array)) return broken(id, 'CERTIFICATE_UNREADABLE', 'the certificate cannot be read');
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

async function checkSigner(
  document: RetirementDocument,
  trustedKey: RetirementInputs['trustedKey'],
  platform: VerifierPlatform,
): Promise<RetirementCheck> {
  const id = 'certificate.signature';
  const jws = readRetirementJws(document);
  if ('code' in jws) return fail(id, jws.code, jws.message);
  const { issuedAt: datedAt, signature } = document.certificate;
  return checkSignature(id, { jws, datedAt, signature }, trustedKey, platform);
}

async function checkItems(
  certificate: RetirementCertificate,
  items: RetirementInputs['items'],
  platform: VerifierPlatform,
): Promise<RetirementCheck[]> {
  if (items === undefined) return [];
  const digest = 'items.digest';
  const read = await readItems(items, platform).catch((): ReadItems | null => null);
  if (read === null) return [broken(digest, 'ITEMS_UNREADABLE', 'the items cannot be read')];
  if (read.digest !== certificate.items.digest || read.bytes !== certificate.items.bytes)
    return [fail(digest, 'ITEMS_DIGEST_MISMATCH', describeOtherItems(certificate.items, read))];
  return [pass(digest, 'these are the items that were signed'), compareFigures(certificate, read)];
}

const describeOtherItems = (signed: RetirementCertificate['items'], read: ReadItems): string =>
  `the items are ${read.bytes} bytes with the digest ${read.digest}, ` +
  `the certificate states ${signed.bytes} bytes with ${signed.digest}: get the items file of this run`;

function compareFigures(certificate: RetirementCertificate, { sums, problem }: ReadItems): RetirementCheck {
  const id = 'items.figures';
  if (sums === null) return fail(id, 'ITEM_MALFORMED', problem ?? 'a line is no item');
  return isSameSums(certificate, sums)
    ? pass(id, 'counted again they give the figures of the certificate')
    : fail(id, 'ITEMS_FIGURES_MISMATCH', describeDifference(certificate, sums));
}

const listFigures = ({ counts, keys }: RotationSums): [name: string, figure: number][] => [
  ...Object.entries(counts),
  ...keys.flatMap(({ provider, contract, keyVersion, before, after }): [string, number][] => {
    const key = `key ${provider} (contract ${contract}), version ${keyVersion}`;
    return [
      [`${key} before`, before],
      [`${key} after`, after],
    ];
  }),
];

/** The items are those that were signed, so another file would not help. */
function describeDifference(certificate: RetirementCertificate, sums: RotationSums): string {
  const [stated, counted] = [new Map(listFigures(certificate)), new Map(listFigures(sums))];
  const names = [...stated.keys(), ...counted.keys()];
  const name = names.find(one => stated.get(one) !== counted.get(one)) ?? 'total';
  const [ours, theirs] = [counted.get(name) ?? 0, stated.get(name) ?? 0];
  return `the items add up to ${ours} (${name}), the certificate states ${theirs}: ask the issuer for a correct one`;
}
