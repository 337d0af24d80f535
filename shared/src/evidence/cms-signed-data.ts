// CMS SignedData (RFC 5652) with exactly one signer, as in time-stamp tokens: its parts, and verification of the
// signature over signed attributes and content. Trust in the signer is not checked here.
import { sha1 } from '@noble/hashes/legacy.js';
import {
  DerError,
  DerFields,
  type DerValue,
  derItems,
  derTags,
  onlyItem,
  readIntegerBytes,
  readNumber,
  readOid,
} from './der.ts';
import { isSameBytes } from './digest.ts';
import {
  type HashName,
  hashWith,
  isSignatureOf,
  readHash,
  readPlainAlgorithm,
  readScheme,
  UnsupportedError,
  type VerifySignature,
} from './signature-schemes.ts';
import { type Certificate, parseCertificate } from './x509.ts';

const signedDataOid = '1.2.840.113549.1.7.2';
const contentTypeOid = '1.2.840.113549.1.9.3';
const messageDigestOid = '1.2.840.113549.1.9.4';
const signingCertificateOid = '1.2.840.113549.1.9.16.2.12';
const signingCertificateV2Oid = '1.2.840.113549.1.9.16.2.47';
const maxCertificates = 32;

export type SignedData = {
  readonly contentType: string;
  readonly content: Uint8Array;
  /** Included certificates, without those of unsupported kinds. */
  readonly certificates: readonly Certificate[];
  readonly signer: SignerInfo;
};

type SignerInfo = {
  readonly id: DerValue;
  readonly digest: HashName;
  readonly digestOid: string;
  readonly attributes: ReadonlyMap<string, DerValue>;
  /** As signed: with the tag of a SET. */
  readonly signedBytes: Uint8Array;
  readonly signatureAlgorithm: DerValue;
  readonly signature: Uint8Array;
};

/** `contentInfo` is a SEQUENCE. Throws DerError and UnsupportedError. */
export function readSignedData(contentInfo: DerValue): SignedData {
  const outer = new DerFields(contentInfo);
  if (readOid(outer.take(derTags.oid)) !== signedDataOid)
    throw new DerError('MALFORMED', 'the token is not signed data');
  const fields = new DerFields(onlyItem(outer.take(0xa0), derTags.sequence));
  outer.end();
  readNumber(fields.take(derTags.integer));
  const digests = derItems(fields.take(derTags.set)).map(item => readPlainAlgorithm(item));
  const content = new DerFields(fields.take(derTags.sequence));
  const contentType = readOid(content.take(derTags.oid));
  const inner = onlyItem(content.take(0xa0), derTags.octetString).content;
  content.end();
  const certificates = fields.optional(0xa0);
  fields.optional(0xa1);
  const signers = derItems(fields.take(derTags.set));
  fields.end();
  const [signer] = signers;
  if (signer === undefined || signers.length > 1)
    throw new DerError('MALFORMED', 'the token has not exactly one signer');
  const info = readSigner(signer);
  if (!digests.includes(info.digestOid))
    throw new DerError('MALFORMED', 'the token does not list the hash algorithm of its signer');
  return {
    contentType,
    content: inner,
    certificates: certificates === undefined ? [] : readCertificates(certificates),
    signer: info,
  };
}

function readCertificates(set: DerValue): Certificate[] {
  const items = derItems(set);
  if (items.length > maxCertificates) throw new DerError('MALFORMED', 'the token has too many certificates');
  return items.flatMap(({ bytes }) => {
    try {
      return [parseCertificate(bytes)];
    } catch (problem) {
      if (problem instanceof UnsupportedError) return [];
      throw problem;
    }
  });
}

function readSigner(value: DerValue): SignerInfo {
  const fields = new DerFields(value);
  readNumber(fields.take(derTags.integer));
  const id = fields.any();
  const algorithm = fields.take(derTags.sequence);
  const [digest, digestOid] = [readHash(algorithm), readPlainAlgorithm(algorithm)];
  const signed = fields.take(0xa0);
  const signatureAlgorithm = fields.take(derTags.sequence);
  const signature = fields.take(derTags.octetString).content;
  fields.optional(0xa1);
  fields.end();
  const signedBytes = new Uint8Array(signed.bytes);
  signedBytes[0] = derTags.set;
  return { id, digest, digestOid, attributes: readAttributes(signed), signedBytes, signatureAlgorithm, signature };
}

/** Each attribute once, with exactly one value. */
function readAttributes(set: DerValue): ReadonlyMap<string, DerValue> {
  const attributes = new Map<string, DerValue>();
  for (const item of derItems(set)) {
    const fields = new DerFields(item);
    const oid = readOid(fields.take(derTags.oid));
    const [value, ...more] = derItems(fields.take(derTags.set));
    fields.end();
    if (value === undefined || more.length > 0 || attributes.has(oid))
      throw new DerError('MALFORMED', 'a signed attribute has not exactly one value');
    attributes.set(oid, value);
  }
  return attributes;
}

/** The signer's certificate, among the included and the given ones. */
export const findSigner = ({ signer: { id } }: SignedData, all: readonly Certificate[]): Certificate | undefined =>
  all.find(certificate => isNamedBy(id, certificate));

function isNamedBy(id: DerValue, { issuer, serial, extensions }: Certificate): boolean {
  if (id.tag === 0x80) return extensions.subjectKeyId !== undefined && isSameBytes(extensions.subjectKeyId, id.content);
  if (id.tag !== derTags.sequence) return false;
  const fields = new DerFields(id);
  const isIssuer = isSameBytes(fields.take(derTags.sequence).bytes, issuer);
  return isSameBytes(readIntegerBytes(fields.take(derTags.integer)), serial) && isIssuer;
}

/**
 * Whether the signed attributes name this certificate by its hash: in the first form, the second, or both (RFC 5816).
 */
export function namesCertificate({ signer: { attributes } }: SignedData, certificate: Certificate): boolean {
  const [first, second] = [attributes.get(signingCertificateOid), attributes.get(signingCertificateV2Oid)];
  if (first === undefined && second === undefined) return false;
  return [
    first === undefined || isSameBytes(readCertificateId(first).digest, sha1(certificate.bytes)),
    second === undefined || isHashOf(readCertificateId(second), certificate),
  ].every(isNamed => isNamed);
}

/** The first of the list is the signer's. SHA-256 is the default. */
function readCertificateId(attribute: DerValue): { algorithm: DerValue | undefined; digest: Uint8Array } {
  const [id] = derItems(new DerFields(attribute).take(derTags.sequence));
  if (id === undefined) throw new DerError('MALFORMED', 'the signing certificate is not named');
  const fields = new DerFields(id);
  const algorithm = fields.optional(derTags.sequence);
  return { algorithm, digest: fields.take(derTags.octetString).content };
}

function isHashOf({ algorithm, digest }: ReturnType<typeof readCertificateId>, { bytes }: Certificate): boolean {
  return isSameBytes(hashWith(algorithm === undefined ? 'SHA-256' : readHash(algorithm), bytes), digest);
}

/** Verifies the signature with the certificate's key, over attributes that name the type and digest of the content. */
export async function isSignedBy(
  { signer, content, contentType }: SignedData,
  certificate: Certificate,
  verify: VerifySignature,
): Promise<boolean> {
  const type = signer.attributes.get(contentTypeOid);
  const digest = signer.attributes.get(messageDigestOid);
  if (type?.tag !== derTags.oid || readOid(type) !== contentType) return false;
  if (digest?.tag !== derTags.octetString || !isSameBytes(digest.content, hashWith(signer.digest, content)))
    return false;
  const scheme = readScheme(signer.signatureAlgorithm, certificate.key, signer.digest);
  return isSignatureOf(certificate.key, scheme, signer.signedBytes, signer.signature, verify);
}
