// Signatures of X.509 and CMS: the accepted algorithms, and the input for the platform's library. RSA with PKCS#1 v1.5
// and PSS, ECDSA on P-256 and P-384, each with SHA-256, SHA-384 or SHA-512. Weak keys are rejected.
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import {
  DerError,
  DerFields,
  type DerValue,
  derTags,
  readBitBytes,
  readDer,
  readIntegerBytes,
  readNumber,
  readOid,
  writeDer,
  writeOid,
} from './der.ts';

const hashes = { 'SHA-256': sha256, 'SHA-384': sha384, 'SHA-512': sha512 } as const;
export type HashName = keyof typeof hashes;

type SignatureScheme =
  | { readonly kind: 'RSA_PKCS1'; readonly hash: HashName }
  | { readonly kind: 'RSA_PSS'; readonly hash: HashName; readonly saltBytes: number }
  | { readonly kind: 'ECDSA'; readonly hash: HashName; readonly curve: Curve };

type Curve = 'P-256' | 'P-384';

/** `spki` contains an rsaEncryption or an EC key; an ECDSA signature is r ‖ s. An exception counts as invalid. */
export type VerifySignature = (
  spki: Uint8Array,
  scheme: SignatureScheme,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** The algorithm, its parameters or the key are not supported. */
export class UnsupportedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedError';
  }
}

const hashOids: Readonly<Record<string, HashName>> = {
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
};
export const sha256Oid = '2.16.840.1.101.3.4.2.1';

const rsaOid = '1.2.840.113549.1.1.1';
const pssOid = '1.2.840.113549.1.1.10';
const mgf1Oid = '1.2.840.113549.1.1.8';
const ecOid = '1.2.840.10045.2.1';
const curveOids: Readonly<Record<string, Curve>> = { '1.2.840.10045.3.1.7': 'P-256', '1.3.132.0.34': 'P-384' };
const fieldBytes: Readonly<Record<Curve, number>> = { 'P-256': 32, 'P-384': 48 };

type Family = { readonly kind: 'RSA_PKCS1' | 'ECDSA'; readonly hash?: HashName };
const signatureOids: Readonly<Record<string, Family>> = {
  [rsaOid]: { kind: 'RSA_PKCS1' },
  '1.2.840.113549.1.1.11': { kind: 'RSA_PKCS1', hash: 'SHA-256' },
  '1.2.840.113549.1.1.12': { kind: 'RSA_PKCS1', hash: 'SHA-384' },
  '1.2.840.113549.1.1.13': { kind: 'RSA_PKCS1', hash: 'SHA-512' },
  [ecOid]: { kind: 'ECDSA' },
  '1.2.840.10045.4.3.2': { kind: 'ECDSA', hash: 'SHA-256' },
  '1.2.840.10045.4.3.3': { kind: 'ECDSA', hash: 'SHA-384' },
  '1.2.840.10045.4.3.4': { kind: 'ECDSA', hash: 'SHA-512' },
};

type Algorithm = { readonly oid: string; readonly parameters: DerValue | undefined };

function readAlgorithm(value: DerValue): Algorithm {
  const fields = new DerFields(value);
  const oid = readOid(fields.take(derTags.oid));
  const parameters = fields.optionalAny();
  fields.end();
  return { oid, parameters };
}

/** For an algorithm without parameters; they are absent, or NULL. */
export function readPlainAlgorithm(value: DerValue): string {
  const { oid, parameters } = readAlgorithm(value);
  if (parameters !== undefined && (parameters.tag !== 5 || parameters.content.length > 0))
    throw new DerError('MALFORMED', `the algorithm ${oid} has parameters`);
  return oid;
}

export function readHash(value: DerValue): HashName {
  const oid = readPlainAlgorithm(value);
  const hash = hashOids[oid];
  if (hash === undefined) throw new UnsupportedError(`the hash algorithm ${oid} is not accepted`);
  return hash;
}

export const hashWith = (name: HashName, bytes: Uint8Array): Uint8Array => hashes[name](bytes);

/** RSA public keys of at least 2,048 bits and EC keys on the two curves; throws for others. */
export type PublicKey =
  | { readonly kind: 'RSA'; readonly spki: Uint8Array; readonly isForPss: boolean }
  | { readonly kind: 'EC'; readonly spki: Uint8Array; readonly curve: Curve };

export function readPublicKey(value: DerValue): PublicKey {
  const fields = new DerFields(value);
  const { oid, parameters } = readAlgorithm(fields.take(derTags.sequence));
  const key = fields.take(derTags.bitString);
  fields.end();
  if (oid === rsaOid || oid === pssOid) {
    if (oid === pssOid && parameters !== undefined)
      throw new UnsupportedError('a key of RSASSA-PSS with parameters is not accepted');
    checkRsaKey(readBitBytes(key));
    return { kind: 'RSA', spki: toRsaSpki(key), isForPss: oid === pssOid };
  }
  const curve = oid === ecOid && parameters?.tag === derTags.oid ? curveOids[readOid(parameters)] : undefined;
  if (curve === undefined) throw new UnsupportedError(`a public key of the kind ${oid} is not accepted`);
  return { kind: 'EC', spki: value.bytes, curve };
}

const toRsaSpki = (key: DerValue): Uint8Array =>
  writeDer(derTags.sequence, writeDer(derTags.sequence, writeOid(rsaOid), Uint8Array.of(5, 0)), key.bytes);

function checkRsaKey(bytes: Uint8Array): void {
  const fields = new DerFields(readDer(bytes, derTags.sequence));
  const modulus = readIntegerBytes(fields.take(derTags.integer));
  const exponent = readNumber(fields.take(derTags.integer));
  fields.end();
  // A modulus with its highest bit set has a leading zero byte.
  if ((modulus[0] ?? 0x80) >= 0x80 || modulus.length < 257 || modulus.length > 1025)
    throw new UnsupportedError('an RSA key has 2,048 to 8,192 bits');
  if (exponent < 3 || exponent % 2 === 0) throw new UnsupportedError('the exponent of an RSA key is not accepted');
}

/**
 * The signature scheme. `digest` is the hash that CMS names with the signature: it is used if the algorithm names
 * none, and must otherwise agree.
 */
export function readScheme(value: DerValue, key: PublicKey, digest?: HashName): SignatureScheme {
  const { oid, parameters } = readAlgorithm(value);
  if (oid === pssOid) return readPss(parameters, key, digest);
  const family = signatureOids[readPlainAlgorithm(value)];
  const hash = family?.hash ?? digest;
  if (family === undefined || hash === undefined || (digest !== undefined && digest !== hash))
    throw new UnsupportedError(`the signature algorithm ${oid} is not accepted`);
  if (family.kind === 'ECDSA' && key.kind === 'EC') return { kind: 'ECDSA', hash, curve: key.curve };
  if (family.kind === 'RSA_PKCS1' && key.kind === 'RSA' && !key.isForPss) return { kind: 'RSA_PKCS1', hash };
  throw new UnsupportedError('the signature algorithm is not one for this key');
}

/** Absent parameters mean SHA-1, which is rejected. */
function readPss(parameters: DerValue | undefined, key: PublicKey, digest: HashName | undefined): SignatureScheme {
  if (parameters === undefined || key.kind !== 'RSA') throw new UnsupportedError('RSASSA-PSS lacks its parameters');
  const fields = new DerFields(parameters);
  const hash = fields.optionalExplicit(0xa0, derTags.sequence);
  const mask = fields.optionalExplicit(0xa1, derTags.sequence);
  const salt = fields.optionalExplicit(0xa2, derTags.integer);
  fields.end();
  const name = hash === undefined ? undefined : readHash(hash);
  const saltBytes = salt === undefined ? 20 : readNumber(salt);
  if (name === undefined || mask === undefined || readMaskHash(mask) !== name || (digest ?? name) !== name)
    throw new UnsupportedError('the parameters of RSASSA-PSS are not accepted');
  if (saltBytes > 64) throw new UnsupportedError('the salt of RSASSA-PSS is too long');
  return { kind: 'RSA_PSS', hash: name, saltBytes };
}

function readMaskHash(mask: DerValue): HashName | undefined {
  const { oid, parameters } = readAlgorithm(mask);
  return oid === mgf1Oid && parameters !== undefined ? readHash(parameters) : undefined;
}

/** Returns false for a malformed or invalid signature; never throws. */
export async function isSignatureOf(
  key: PublicKey,
  scheme: SignatureScheme,
  message: Uint8Array,
  signature: Uint8Array,
  verify: VerifySignature,
): Promise<boolean> {
  try {
    const plain = scheme.kind === 'ECDSA' ? toPlainEcdsa(signature, fieldBytes[scheme.curve]) : signature;
    return (await verify(key.spki, scheme, message, plain)) === true;
  } catch {
    return false;
  }
}

/** From a SEQUENCE of two numbers to two numbers of fixed length. */
function toPlainEcdsa(signature: Uint8Array, width: number): Uint8Array {
  const fields = new DerFields(readDer(signature, derTags.sequence));
  const plain = new Uint8Array(2 * width);
  for (const end of [width, 2 * width]) {
    const bytes = readIntegerBytes(fields.take(derTags.integer));
    const digits = bytes[0] === 0 ? bytes.subarray(1) : bytes;
    if ((bytes[0] ?? 0x80) >= 0x80 || digits.length > width) throw new DerError('MALFORMED', 'not a signature');
    plain.set(digits, end - digits.length);
  }
  fields.end();
  return plain;
}
