// The key of the embedded ledger, in the formats of notes and chain identities.
import { createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import type { TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { toSpki, type VerifyEd25519 } from '@recordproof/shared/evidence/ed25519.ts';
import type { NoteSigner } from '@recordproof/shared/evidence/signed-note.ts';
import { mlDsaKeyFromSeed, mlDsaPublicKey, signMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';

const spkiPrefixBytes = 12;
const seedBytes = 32;

export function toPublicBytes(privateKey: KeyObject): Uint8Array {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return new Uint8Array(spki.subarray(spkiPrefixBytes));
}

/** The seed of another key derived from the ledger's key; `label` identifies it. */
export function deriveSeed(ledgerKey: KeyObject, label: string): Uint8Array {
  const seed = ledgerKey.export({ type: 'pkcs8', format: 'der' }).subarray(-seedBytes);
  return new Uint8Array(hkdfSync('sha256', seed, '', label, seedBytes));
}

/**
 * The post-quantum key of the ledger. It is derived from the seed of `ledger.key`, not from the private scalar: an
 * attacker who computes the scalar from the public key does not have the seed. The keys folder and its backups
 * therefore hold both keys.
 */
export function toPostQuantumSigner(name: string, ledgerKey: KeyObject): TypedNoteSigner {
  const key = mlDsaKeyFromSeed(deriveSeed(ledgerKey, 'recordproof ledger ml-dsa-44 key'));
  return { type: 'ML_DSA_44', name, publicKey: mlDsaPublicKey(key), sign: message => signMlDsa44(key, message) };
}

export const toNoteSigner = (name: string, privateKey: KeyObject): NoteSigner => ({
  name,
  publicKey: toPublicBytes(privateKey),
  sign: message => new Uint8Array(sign(null, message, privateKey)),
});

export const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.from(toSpki(publicKey)), type: 'spki', format: 'der' }),
    signature,
  );

/** Whether the note is a checkpoint signed by this ledger key. */
export async function isSignedByLedger(
  { note }: { readonly note: string },
  { name, privateKey }: { readonly name: string; readonly privateKey: KeyObject },
): Promise<boolean> {
  const key = { name, publicKey: toPublicBytes(privateKey) };
  const opened = await openCheckpoint(toUtf8(note), key, verifyEd25519).catch(() => null);
  return opened !== null;
}
