// The key that a server cosigns the ledgers of its peers with. It follows from the key of its own ledger, which signs it
// for the peers: so they need to know the key of the ledger alone, and a backup of the keys folder holds both.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { parseTypedKey, type TypedNoteKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { openSignedNote, signNote } from '@recordproof/shared/evidence/signed-note.ts';
import { deriveSeed, toNoteSigner, toPublicBytes, verifyEd25519 } from '../chain/index.ts';
import { exchange } from './exchange.ts';

/** The second line of a checkpoint is a number, so no note of this form is one. */
const firstLine = 'recordproof ledger witness key';
/** PKCS #8 of an Ed25519 key up to its seed. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `ledgerKey` is the private key of the ledger. */
export function toWitnessSigner(origin: string, ledgerKey: KeyObject): TypedNoteSigner {
  const seed = deriveSeed(ledgerKey, firstLine);
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  return {
    type: 'COSIGNATURE',
    name: origin,
    publicKey: toPublicBytes(privateKey),
    sign: message => new Uint8Array(sign(null, message, privateKey)),
  };
}

export const writeWitnessKey = (signer: TypedNoteSigner, ledgerKey: KeyObject): Promise<Uint8Array> =>
  signNote(`${firstLine}\n${toTypedKeyText(signer)}\n`, [toNoteSigner(signer.name, ledgerKey)]);

/** Rejects with a sentence unless the key is signed by the ledger of the peer. */
export async function fetchPeerKey(url: string, ledgerKey: TypedNoteKey, signal: AbortSignal): Promise<TypedNoteKey> {
  const { status, body } = await exchange(`${url}/ledger/witness/key`, { method: 'GET', signal });
  if (status !== 200)
    throw new Error(
      `${url} has no key for cosignatures (${status}): its setting ledger.witness-peers must name this server`,
    );
  const text = await openSignedNote(body, ledgerKey, verifyEd25519);
  const [first, key = '', ...more] = text.split('\n');
  if (first !== firstLine || more.length !== 1) throw new Error(`${url} did not answer a key for cosignatures`);
  const parsed = parseTypedKey(key);
  if (parsed.type !== 'COSIGNATURE') throw new Error(`the key of ${url} is not a key for cosignatures`);
  return parsed;
}
