// Ed25519 for tests: keys derived from a word, so that test data can be frozen, and Node's own verification.
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { parseSpki, type SignEd25519, toSpki, type VerifyEd25519 } from '@recordproof/shared/evidence/ed25519.ts';

export type TestKey = { publicKey: Uint8Array; spki: Uint8Array; fingerprint: string; sign: SignEd25519 };

const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The same word always gives the same key; never use one outside tests. */
export const testKey = (word: string): TestKey =>
  keyFromSeed(createHash('sha256').update(`recordproof test key ${word}`).digest());

export function keyFromSeed(seed: Uint8Array): TestKey {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const spki = new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }));
  return {
    publicKey: parseSpki(spki),
    spki,
    fingerprint: digestOf(spki),
    sign: message => new Uint8Array(sign(null, message, key)),
  };
}

export const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const key = createPublicKey({ key: Buffer.from(toSpki(publicKey)), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
};
