// ML-DSA-44 (FIPS 204) by node:crypto, with an empty context. Raw public keys have 1312 bytes, signatures 2420.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { VerifyMlDsa44 } from '../evidence/cosignature.ts';

/** The SubjectPublicKeyInfo prefix of id-ml-dsa-44, before the raw key. */
const spkiPrefix = Buffer.from('30820532300b06096086480165030403110382052100', 'hex');
/** The PKCS #8 prefix of id-ml-dsa-44, before the seed of 32 bytes. */
const pkcs8Prefix = Buffer.from('3034020100300b060960864801650304031104228020', 'hex');
const publicKeyBytes = 1312;

export function mlDsaKeyFromSeed(seed: Uint8Array): KeyObject {
  if (seed.length !== 32) throw new RangeError('a seed of ML-DSA-44 has 32 bytes');
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
}

export const verifyMlDsa44: VerifyMlDsa44 = (publicKey, message, signature) => {
  if (publicKey.length !== publicKeyBytes) return false;
  const der = Buffer.concat([spkiPrefix, publicKey]);
  return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
};

/** The raw public key of a private key. */
export function mlDsaPublicKey(privateKey: KeyObject): Uint8Array {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  if (privateKey.asymmetricKeyType !== 'ml-dsa-44') throw new RangeError('not a key of ML-DSA-44');
  return new Uint8Array(der.subarray(spkiPrefix.length));
}

export const signMlDsa44 = (privateKey: KeyObject, message: Uint8Array): Uint8Array =>
  new Uint8Array(sign(null, message, privateKey));
