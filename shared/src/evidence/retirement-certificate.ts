// The certificate of a finished key rotation (docs/spec/key-retirement.md): one readable JSON document and a JWS over
// its canonical bytes. Contradictory figures are rejected, before signing and after reading.
import { canonicalBytes, canonicalJson } from './canonical-json.ts';
import { isSameBytes, parseUtf8, toUtf8 } from './digest.ts';
import { isSafeSignature, type SignEd25519 } from './ed25519.ts';
import { hasHeaderOf, type ParsedJws, parseJws, signJws, toJwsHeader } from './jws.ts';
import type { ProofKey } from './proof-builder.ts';
import { instant } from './proof-entries.ts';
import { keyNameMembers, type RotationSums, sortWord } from './rotation-item.ts';
import { parseStrictJson } from './strict-json.ts';
import {
  arrayOf,
  decimalId,
  digestText,
  flag,
  hexHash,
  integer,
  objectOf,
  oneOf,
  ShapeError,
  text,
  urlName,
} from './strict-shape.ts';

const retirementCertificateSchema = 'recordproof.key-retirement-certificate.v1';
export const maxRetirementCertificateBytes = 512 * 1024;
const mostKeys = 1000;

const count = integer(0);

const readCertificate = objectOf({
  schema: oneOf(retirementCertificateSchema),
  tenantId: decimalId,
  issuedAt: instant,
  policy: objectOf({ version: integer(1), ...keyNameMembers, logicalKeyVersion: integer(1) }),
  run: objectOf({
    runId: decimalId,
    requestId: text(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, _ or -'),
    createdAt: instant,
    startedAt: instant,
    completedAt: instant,
  }),
  counts: objectOf({ total: count, succeeded: count, alreadyTarget: count, revoked: count, sourceChanged: count }),
  keys: arrayOf(objectOf({ ...keyNameMembers, before: count, after: count }), 0, mostKeys),
  items: objectOf({ bytes: count, digest: digestText }),
  /** Whether, when it was issued, any usable envelope of the tenant had another key than the target. */
  oldKeyInUse: flag,
  /** The newest row of the tenant's audit log. */
  audit: objectOf({ position: count, hash: hexHash }),
  signature: objectOf({ keyId: urlName, keyVersion: integer(1), publicKeyFingerprint: digestText }),
});
export type RetirementCertificate = ReturnType<typeof readCertificate>;

const documentShape = objectOf({
  certificate: readCertificate,
  jws: text(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, 'a compact JWS'),
});

/** The content of the file: canonical JSON and one line feed. */
export type RetirementDocument = ReturnType<typeof documentShape>;

type Signer = ProofKey & { readonly sign: SignEd25519 };

export async function signRetirement(
  facts: Omit<RetirementCertificate, 'schema' | 'signature'>,
  { sign, ...signature }: Signer,
): Promise<RetirementDocument> {
  const certificate: RetirementCertificate = { ...facts, schema: retirementCertificateSchema, signature };
  readCertificate(certificate, '');
  const problem = findContradiction(certificate);
  if (problem !== null) throw new ShapeError('', problem);
  const payload = canonicalBytes(certificate);
  const jws = await signJws(toJwsHeader(signature.keyId, signature.keyVersion), payload, sign);
  return { certificate, jws: parseUtf8(jws).trimEnd() };
}

export const retirementDocumentText = (document: RetirementDocument): string => `${canonicalJson(document)}\n`;

/**
 * Structure only: nothing is authenticated before the signature has been checked. Throws StrictJsonError, ShapeError or
 * NotCanonicalError.
 */
export function parseRetirementDocument(bytes: Uint8Array): RetirementDocument {
  const document = documentShape(parseStrictJson(bytes, { maxBytes: maxRetirementCertificateBytes, maxDepth: 5 }), '');
  if (!isSameBytes(toUtf8(retirementDocumentText(document)), bytes)) throw new NotCanonicalError();
  return document;
}

/** A certificate that is not in canonical form. */
export class NotCanonicalError extends Error {
  constructor() {
    super('the document is not canonical JSON and one line feed');
  }
}

type JwsProblem = {
  readonly code: 'JWS_MALFORMED' | 'JWS_PAYLOAD_MISMATCH' | 'JWS_CONTRACT';
  readonly message: string;
};

/** The parsed signature, or why it is not one over this certificate. */
export function readRetirementJws({ certificate, jws }: RetirementDocument): ParsedJws | JwsProblem {
  let parsed: ParsedJws;
  try {
    parsed = parseJws(toUtf8(`${jws}\n`));
  } catch {
    return { code: 'JWS_MALFORMED', message: 'its jws is not a signature of the required form' };
  }
  if (!isSameBytes(parsed.payload, canonicalBytes(certificate)))
    return { code: 'JWS_PAYLOAD_MISMATCH', message: 'its jws does not sign this certificate' };
  const { keyId, keyVersion } = certificate.signature;
  return hasHeaderOf(parsed, keyId, keyVersion) && isSafeSignature(parsed.signature)
    ? parsed
    : { code: 'JWS_CONTRACT', message: 'its jws has another header or encoding than the certificate demands' };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The contradiction in figures of a finished run; null if they are consistent. */
export function findContradiction({ policy, counts, keys }: RetirementCertificate): string | null {
  const { total, succeeded, alreadyTarget, revoked, sourceChanged } = counts;
  if (sum([succeeded, alreadyTarget, revoked, sourceChanged]) !== total) return 'the counts do not add up';
  const words = keys.map(sortWord);
  if (words.some((word, at) => at > 0 && word <= (words[at - 1] ?? '')))
    return 'the keys are not listed once each and in order';
  if (keys.some(key => key.before + key.after === 0)) return 'a key is listed that no item names';
  if (sum(keys.map(key => key.before)) !== total) return 'the keys before do not add up to the items';
  if (sum(keys.map(key => key.after)) !== succeeded + alreadyTarget) return 'the keys after do not add up to the items';
  const isTarget = (key: (typeof keys)[number]) =>
    key.provider === policy.provider && key.contract === policy.contract && key.keyVersion === policy.keyVersion;
  if (keys.some(key => key.after > 0 && !isTarget(key))) return 'something was moved under another key than the target';
  return null;
}

/** Whether the items give the signed figures. */
export const isSameSums = (certificate: RetirementCertificate, { counts, keys }: RotationSums): boolean =>
  canonicalJson({ counts: certificate.counts, keys: certificate.keys }) === canonicalJson({ counts, keys });
