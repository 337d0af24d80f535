// RFC 3161 time stamps: the request to an authority, and verification of its response, against the caller's roots at
// the stated time (docs/spec/vouchers.md section 9). Accepts the same NAME.tsr as `openssl ts`.
import { findSigner, isSignedBy, namesCertificate, readSignedData, type SignedData } from './cms-signed-data.ts';
import { DerError, DerFields, derTags, readDer, readNumber, writeDer, writeOid, writeUnsigned } from './der.ts';
import { isSameBytes } from './digest.ts';
import { sha256Oid, UnsupportedError, type VerifySignature } from './signature-schemes.ts';
import { readTimeStampInfo, type TimeStampInfo } from './time-stamp-info.ts';
import { type Certificate, keyUses, mayBeUsedFor, shownName } from './x509.ts';
import { findChain } from './x509-chain.ts';

export const maxStampBytes = 256 * 1024;
const timeStampInfoOid = '1.2.840.113549.1.9.16.1.4';
const timeStampingPurpose = '1.3.6.1.5.5.7.3.8';

export type StampCode =
  | 'STAMP_TOO_LARGE'
  | 'STAMP_TRUNCATED'
  | 'STAMP_TRAILING_BYTES'
  | 'STAMP_MALFORMED'
  | 'STAMP_ALGORITHM'
  | 'STAMP_REFUSED'
  | 'STAMP_IMPRINT'
  | 'STAMP_NONCE'
  | 'STAMP_POLICY'
  | 'STAMP_CERTIFICATE'
  | 'STAMP_SIGNATURE'
  | 'STAMP_EXPIRED'
  | 'STAMP_UNTRUSTED';

export class StampError extends Error {
  readonly code: StampCode;
  constructor(code: StampCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StampError';
    this.code = code;
  }
}

/** A request for the SHA-256 `digest`. The nonce has 8 to 20 random bytes; the certificate is requested. */
export function writeStampRequest(digest: Uint8Array, nonce: Uint8Array, policy?: string): Uint8Array {
  if (digest.length !== 32 || nonce.length < 8 || nonce.length > 20)
    throw new RangeError('a request has a digest of 32 bytes and a nonce of 8 to 20');
  const algorithm = writeDer(derTags.sequence, writeOid(sha256Oid), Uint8Array.of(5, 0));
  return writeDer(
    derTags.sequence,
    writeUnsigned(Uint8Array.of(1)),
    writeDer(derTags.sequence, algorithm, writeDer(derTags.octetString, digest)),
    ...(policy === undefined ? [] : [writeOid(policy)]),
    writeUnsigned(nonce),
    writeDer(derTags.boolean, Uint8Array.of(0xff)),
  );
}

export type StampExpectation = {
  /** SHA-256 of the stamped bytes. */
  readonly digest: Uint8Array;
  /** Of the request, if known. */
  readonly nonce?: Uint8Array;
  /** The only accepted policy. */
  readonly policy?: string;
  readonly roots: readonly Certificate[];
  readonly verify: VerifySignature;
};

type CheckedStamp = {
  readonly info: TimeStampInfo;
  /** If the authority is honest, the stamped bytes existed no later than this: its time and accuracy. */
  readonly latestMs: number;
  readonly authority: string;
  /** From the signer to the root. */
  readonly chain: readonly Certificate[];
};

/** Throws StampError with the first defect. */
export async function checkStamp(response: Uint8Array, expected: StampExpectation): Promise<CheckedStamp> {
  try {
    return await check(response, expected);
  } catch (problem) {
    if (problem instanceof DerError) throw new StampError(`STAMP_${problem.code}`, problem.message, { cause: problem });
    if (problem instanceof UnsupportedError)
      throw new StampError('STAMP_ALGORITHM', problem.message, { cause: problem });
    throw problem;
  }
}

async function check(response: Uint8Array, expected: StampExpectation): Promise<CheckedStamp> {
  const data = readResponse(response);
  const info = readTimeStampInfo(data.content);
  checkInfo(info, expected);
  const { roots, verify } = expected;
  const certificate = findSigner(data, [...data.certificates, ...roots]);
  if (certificate === undefined)
    throw new StampError('STAMP_CERTIFICATE', 'the certificate of the signer is not in the time stamp');
  checkCertificate(data, certificate);
  if (!(await isSignedBy(data, certificate, verify)))
    throw new StampError('STAMP_SIGNATURE', 'the signature of the time stamp is wrong');
  const at = info.timeMs;
  const verdict = await findChain({
    ...{ leaf: certificate, others: data.certificates, roots, at, verify },
    purpose: timeStampingPurpose,
  });
  const authority = shownName(certificate.subject);
  if (verdict.state !== 'TRUSTED') {
    throw verdict.state === 'EXPIRED'
      ? new StampError('STAMP_EXPIRED', 'a certificate of the authority was not valid at the time of the time stamp')
      : new StampError('STAMP_UNTRUSTED', `no named root certifies the authority ${authority}`);
  }
  return { info, latestMs: info.timeMs + info.accuracyMs, authority, chain: verdict.chain };
}

function readResponse(response: Uint8Array): SignedData {
  if (response.length > maxStampBytes)
    throw new StampError('STAMP_TOO_LARGE', `a time stamp has at most ${maxStampBytes} bytes`);
  const fields = new DerFields(readDer(response, derTags.sequence));
  const status = new DerFields(fields.take(derTags.sequence));
  const code = readNumber(status.take(derTags.integer));
  // 0 is granted, 1 granted with modifications.
  if (code > 1) throw new StampError('STAMP_REFUSED', `the authority gave no time stamp (status ${code})`);
  const data = readSignedData(fields.take(derTags.sequence));
  fields.end();
  if (data.contentType !== timeStampInfoOid)
    throw new StampError('STAMP_MALFORMED', 'the signed data is not a time stamp');
  return data;
}

function checkInfo(info: TimeStampInfo, { digest, nonce, policy }: StampExpectation): void {
  // A stamp over an unknown hash function neither proves nor contradicts anything.
  if (info.imprint.hashOid !== sha256Oid)
    throw new StampError('STAMP_ALGORITHM', 'the time stamp is over another hash than SHA-256');
  if (!isSameBytes(info.imprint.digest, digest))
    throw new StampError('STAMP_IMPRINT', 'the time stamp is of something else');
  if (nonce !== undefined && (info.nonce === undefined || !isSameBytes(toDigits(info.nonce), toDigits(nonce))))
    throw new StampError('STAMP_NONCE', 'the time stamp does not answer this request: its nonce is another');
  if (policy !== undefined && info.policy !== policy)
    throw new StampError('STAMP_POLICY', `the time stamp was made under the policy ${info.policy}, not ${policy}`);
}

/** Without leading zeros: values are compared, not lengths. */
function toDigits(number: Uint8Array): Uint8Array {
  const start = number.findIndex(byte => byte !== 0);
  return start < 0 ? new Uint8Array(0) : number.subarray(start);
}

/** The signer may only make time stamps (RFC 3161 section 2.3), and names its own certificate. */
function checkCertificate(data: SignedData, certificate: Certificate): void {
  const { purposes } = certificate.extensions;
  if (purposes?.isCritical !== true || purposes.oids.length !== 1 || purposes.oids[0] !== timeStampingPurpose)
    throw new StampError('STAMP_CERTIFICATE', 'the certificate of the signer is not one for time stamps alone');
  if (!mayBeUsedFor(certificate, keyUses.digitalSignature | keyUses.nonRepudiation))
    throw new StampError('STAMP_CERTIFICATE', 'the certificate of the signer is not one for signatures');
  if (!namesCertificate(data, certificate))
    throw new StampError('STAMP_CERTIFICATE', 'the time stamp does not name the certificate of its signer');
}
