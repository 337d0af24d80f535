// The key of the embedded ledger, in the forms that notes and chain identities want.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { toSpki, type VerifyEd25519 } from '@recordproof/shared/evidence/ed25519.ts';
import type { NoteSigner } from '@recordproof/shared/evidence/signed-note.ts';

const spkiPrefixBytes = 12;

export function toPublicBytes(privateKey: KeyObject): Uint8Array {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return new Uint8Array(spki.subarray(spkiPrefixBytes));
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

/** Whether this note is a checkpoint of the ledger that the key signs. */
export async function isSignedByLedger(
  { note }: { readonly note: string },
  { name, privateKey }: { readonly name: string; readonly privateKey: KeyObject },
): Promise<boolean> {
  const key = { name, publicKey: toPublicBytes(privateKey) };
  const opened = await openCheckpoint(toUtf8(note), key, verifyEd25519).catch(() => null);
  return opened !== null;
}
