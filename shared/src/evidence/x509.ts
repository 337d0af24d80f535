// X.509 certificates (RFC 5280) as needed for time-stamp tokens: names, validity, key and usage extensions. Parsing
// implies no trust. Certificates with other critical extensions are rejected.
import {
  DerError,
  DerFields,
  type DerValue,
  derItems,
  derTags,
  readBitBytes,
  readBoolean,
  readDer,
  readIntegerBytes,
  readNumber,
  readOid,
  readTime,
} from './der.ts';
import { isSameBytes, parseBase64, parseUtf8, toHex } from './digest.ts';
import {
  isSignatureOf,
  type PublicKey,
  readPublicKey,
  readScheme,
  UnsupportedError,
  type VerifySignature,
} from './signature-schemes.ts';

export type Certificate = {
  readonly bytes: Uint8Array;
  readonly serial: Uint8Array;
  /** The names in DER. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly key: PublicKey;
  readonly extensions: Extensions;
  readonly signed: Uint8Array;
  readonly signatureAlgorithm: DerValue;
  readonly signature: Uint8Array;
};

type KeyPurposes = { readonly isCritical: boolean; readonly oids: readonly string[] };

type Extensions = {
  readonly isAuthority: boolean;
  readonly maxPathLength?: number;
  /** Absent: every use is allowed. */
  readonly keyUsage?: Uint8Array;
  readonly purposes?: KeyPurposes;
  readonly subjectKeyId?: Uint8Array;
};

const maxCertificateBytes = 32 * 1024;

/** Throws DerError for malformed input, UnsupportedError for unsupported kinds. */
export function parseCertificate(bytes: Uint8Array): Certificate {
  if (bytes.length > maxCertificateBytes)
    throw new DerError('MALFORMED', `a certificate exceeds ${maxCertificateBytes} bytes`);
  const outer = new DerFields(readDer(bytes, derTags.sequence));
  const signed = outer.take(derTags.sequence);
  const signatureAlgorithm = outer.take(derTags.sequence);
  const signature = readBitBytes(outer.take(derTags.bitString));
  outer.end();
  return { bytes, signed: signed.bytes, signatureAlgorithm, signature, ...readSigned(signed, signatureAlgorithm) };
}

function readSigned(signed: DerValue, algorithm: DerValue) {
  const fields = new DerFields(signed);
  const version = fields.optionalExplicit(0xa0, derTags.integer);
  const serial = readIntegerBytes(fields.take(derTags.integer));
  if (!isSameBytes(fields.take(derTags.sequence).bytes, algorithm.bytes))
    throw new DerError('MALFORMED', 'a certificate names two signature algorithms');
  const issuer = fields.take(derTags.sequence).bytes;
  const validity = new DerFields(fields.take(derTags.sequence));
  const [notBefore, notAfter] = [readTime(validity.any()), readTime(validity.any())];
  validity.end();
  const subject = fields.take(derTags.sequence).bytes;
  const key = readPublicKey(fields.take(derTags.sequence));
  fields.optional(0x81);
  fields.optional(0x82);
  const list = fields.optionalExplicit(0xa3, derTags.sequence);
  fields.end();
  if (list !== undefined && (version === undefined || readNumber(version) !== 2))
    throw new DerError('MALFORMED', 'a certificate with extensions is not of version 3');
  const extensions = list === undefined ? { isAuthority: false } : readExtensions(list);
  return { serial, issuer, subject, notBefore, notAfter, key, extensions };
}

const oids = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  policies: '2.5.29.32',
  purposes: '2.5.29.37',
} as const;

type Extension = { readonly isCritical: boolean; readonly value: Uint8Array };

function readExtensions(list: DerValue): Extensions {
  const extensions = new Map<string, Extension>();
  const seen = new Set<string>();
  for (const item of derItems(list)) {
    const fields = new DerFields(item);
    const oid = readOid(fields.take(derTags.oid));
    const critical = fields.optional(derTags.boolean);
    const isCritical = critical !== undefined && readBoolean(critical);
    const value = fields.take(derTags.octetString).content;
    fields.end();
    if (seen.has(oid)) throw new DerError('MALFORMED', 'a certificate has an extension twice');
    seen.add(oid);
    if (Object.values<string>(oids).includes(oid)) extensions.set(oid, { isCritical, value });
    else if (isCritical) throw new UnsupportedError(`a certificate has the critical extension ${oid}`);
  }
  return {
    ...readBasicConstraints(extensions.get(oids.basicConstraints)),
    ...readRest(extensions),
  };
}

function readBasicConstraints(extension: Extension | undefined) {
  if (extension === undefined) return { isAuthority: false };
  const fields = new DerFields(readDer(extension.value, derTags.sequence));
  const flag = fields.optional(derTags.boolean);
  const length = fields.optional(derTags.integer);
  fields.end();
  const isAuthority = flag !== undefined && readBoolean(flag);
  return { isAuthority, ...(length === undefined ? {} : { maxPathLength: readNumber(length) }) };
}

function readRest(extensions: ReadonlyMap<string, Extension>) {
  const usage = extensions.get(oids.keyUsage);
  const purposes = extensions.get(oids.purposes);
  const id = extensions.get(oids.subjectKeyId);
  return {
    ...(usage === undefined ? {} : { keyUsage: readDer(usage.value, derTags.bitString).content }),
    ...(purposes === undefined ? {} : { purposes: readPurposes(purposes) }),
    ...(id === undefined ? {} : { subjectKeyId: readDer(id.value, derTags.octetString).content }),
  };
}

function readPurposes({ isCritical, value }: Extension): KeyPurposes {
  const list = derItems(readDer(value, derTags.sequence));
  return { isCritical, oids: list.map(readOid) };
}

export const keyUses = { digitalSignature: 0x80, nonRepudiation: 0x40, certificateSigning: 0x04 } as const;

/**
 * Whether one of the uses is allowed, or the certificate limits none. The first byte of the BIT STRING counts unused
 * bits.
 */
export const mayBeUsedFor = ({ extensions: { keyUsage } }: Certificate, uses: number): boolean =>
  keyUsage === undefined || ((keyUsage[1] ?? 0) & uses) !== 0;

/** Whether the certificate was signed with the key of `issuer`; permission of `issuer` is not checked. */
export async function isIssuedBy(
  certificate: Certificate,
  issuer: Certificate,
  verify: VerifySignature,
): Promise<boolean> {
  if (!isSameBytes(certificate.issuer, issuer.subject)) return false;
  const scheme = readScheme(certificate.signatureAlgorithm, issuer.key);
  return isSignatureOf(issuer.key, scheme, certificate.signed, certificate.signature, verify);
}

/** The display form of a name: its common name, or its organization, or a digest of all. */
export function shownName(name: Uint8Array): string {
  const texts = new Map<string, string>();
  for (const set of derItems(readDer(name, derTags.sequence))) {
    for (const pair of derItems(set)) {
      const [type, text] = derItems(pair);
      if (type !== undefined && text !== undefined) texts.set(readOid(type), toShownText(text));
    }
  }
  return texts.get('2.5.4.3') || texts.get('2.5.4.10') || toHex(name.subarray(-8));
}

/** Replaces characters that could disguise a line. */
function toShownText({ tag, content }: DerValue): string {
  // BMPString has two bytes per character; others are read as UTF-8, a superset of ASCII.
  const text = new TextDecoder(tag === 0x1e ? 'utf-16be' : 'utf-8').decode(content.subarray(0, 256));
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

const maxRootsBytes = 4 * 1024 * 1024;
const maxRoots = 1024;

/** The certificates of a PEM file; text around them is skipped. Throws RangeError with the defect. */
export function parseRoots(pem: Uint8Array): Certificate[] {
  if (pem.length > maxRootsBytes) throw new RangeError(`the file of root certificates exceeds ${maxRootsBytes} bytes`);
  const blocks = [...parseUtf8(pem).matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g)];
  if (blocks.length === 0 || blocks.length > maxRoots)
    throw new RangeError(`the file of roots holds 1 to ${maxRoots} certificates in PEM`);
  const roots: Certificate[] = [];
  for (const [at, [, base64 = '']] of blocks.entries()) {
    try {
      roots.push(parseCertificate(parseBase64(base64.replaceAll(/\s+/g, ''))));
    } catch (problem) {
      // A collection of roots may include unsupported keys.
      if (!(problem instanceof UnsupportedError))
        throw new RangeError(`certificate ${at + 1} of the roots is malformed: ${(problem as Error).message}`);
    }
  }
  if (roots.length === 0) throw new RangeError('the file of roots holds no certificate of a kind that is accepted');
  return roots;
}
