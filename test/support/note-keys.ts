// Keys of signed notes for tests: they are derived from a word, so that test data can be frozen.
import { createHash } from 'node:crypto';
import type { NoteVerifiers, TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { mlDsaKeyFromSeed, mlDsaPublicKey, signMlDsa44, verifyMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import { testKey, verifyEd25519 } from './ed25519.ts';

export const noteVerifiers: NoteVerifiers = { ed25519: verifyEd25519, mlDsa44: verifyMlDsa44 };

export function testSigner(type: 'ED25519' | 'COSIGNATURE', name: string): TypedNoteSigner {
  const { publicKey, sign } = testKey(`${type} ${name}`);
  return { type, name, publicKey, sign };
}

export function postQuantumSigner(name: string, seed = seedOf(name)): TypedNoteSigner {
  const key = mlDsaKeyFromSeed(seed);
  return { type: 'ML_DSA_44', name, publicKey: mlDsaPublicKey(key), sign: message => signMlDsa44(key, message) };
}

const seedOf = (name: string): Uint8Array => createHash('sha256').update(`recordproof test seed ${name}`).digest();
