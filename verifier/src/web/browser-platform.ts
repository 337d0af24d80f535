// The engine's needs from a browser: hashes in plain code, Ed25519 from WebCrypto (asked only after our own checks).
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { sha256 } from '@recordproof/shared/evidence/digest.ts';
import type { IncrementalHash, VerifierPlatform } from '../verify/verifier-platform.ts';

function newHash(): IncrementalHash {
  const hash = nobleSha256.create();
  return {
    update(bytes) {
      hash.update(bytes);
    },
    digest: () => hash.digest(),
  };
}

// WebCrypto takes no views of shared memory; a copy is small here.
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

export const browserPlatform: VerifierPlatform = {
  sha256,
  newHash,
  async verifyEd25519(publicKey, message, signature) {
    const key = await crypto.subtle.importKey('raw', owned(publicKey), { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, owned(signature), owned(message));
  },
  now: () => new Date(),
};
