// The browser platform of the engine: hashes in JavaScript, Ed25519 by WebCrypto (after our own checks).
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import type { NoteVerifiers } from '@recordproof/shared/evidence/cosignature.ts';
import type { VerifySignature } from '@recordproof/shared/evidence/signature-schemes.ts';
import type { ExistencePlatform } from '../existence/existence-input.ts';
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

// WebCrypto rejects views of shared memory; the copies here are small.
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

export const browserPlatform: VerifierPlatform = {
  newHash,
  async verifyEd25519(publicKey, message, signature) {
    const key = await crypto.subtle.importKey('raw', owned(publicKey), { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, owned(signature), owned(message));
  },
  now: () => new Date(),
};

const verifySignature: VerifySignature = async (spki, scheme, message, signature) => {
  const [name, how] = toWebScheme(scheme);
  const key = await crypto.subtle.importKey('spki', owned(spki), name, false, ['verify']);
  return await crypto.subtle.verify(how, key, owned(signature), owned(message));
};

/** The WebCrypto parameters for key import and verification. */
function toWebScheme(
  scheme: Parameters<VerifySignature>[1],
): [RsaHashedImportParams | EcKeyImportParams, AlgorithmIdentifier | RsaPssParams | EcdsaParams] {
  const { kind, hash } = scheme;
  if (kind === 'ECDSA')
    return [
      { name: kind, namedCurve: scheme.curve },
      { name: kind, hash },
    ];
  if (kind === 'RSA_PSS')
    return [
      { name: 'RSA-PSS', hash },
      { name: 'RSA-PSS', saltLength: scheme.saltBytes },
    ];
  return [{ name: 'RSASSA-PKCS1-v1_5', hash }, { name: 'RSASSA-PKCS1-v1_5' }];
}

const mlDsa = { name: 'ML-DSA-44' };
const importMlDsa = (publicKey: Uint8Array) =>
  crypto.subtle.importKey('raw-public' as 'raw', owned(publicKey), mlDsa, false, ['verify']);

/** Without ML-DSA in the browser such cosignatures stay unchecked, as the report says. */
async function findMlDsa(): Promise<NoteVerifiers['mlDsa44']> {
  const isKnown = await importMlDsa(new Uint8Array(1312)).then(
    () => true,
    () => false,
  );
  if (!isKnown) return undefined;
  return async (publicKey, message, signature) =>
    crypto.subtle.verify(mlDsa, await importMlDsa(publicKey), owned(signature), owned(message));
}

export async function openExistencePlatform(): Promise<ExistencePlatform> {
  const noteVerifiers = { ed25519: browserPlatform.verifyEd25519, mlDsa44: await findMlDsa() };
  return { ...browserPlatform, noteVerifiers, verifySignature };
}
