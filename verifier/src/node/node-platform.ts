// The Node platform of the engine: hashes, Ed25519 (after our own checks), clock.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { toSpki } from '@recordproof/shared/evidence/ed25519.ts';
import type { IncrementalHash, VerifierPlatform } from '../verify/verifier-platform.ts';

function newHash(): IncrementalHash {
  const sha = createHash('sha256');
  return {
    update(bytes) {
      sha.update(bytes);
    },
    digest: () => sha.digest(),
  };
}

export const nodePlatform: VerifierPlatform = {
  newHash,
  verifyEd25519(publicKey, message, signature) {
    const key = createPublicKey({ key: Buffer.from(toSpki(publicKey)), format: 'der', type: 'spki' });
    return verify(null, message, key, signature);
  },
  now: () => new Date(),
};
