// The key with which a server cosigns its peers' ledgers. It is derived from the key of its own ledger, which signs it:
// peers need only the ledger's key, and a backup of the keys folder holds both.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { parseTypedKey, type TypedNoteKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { openSignedNote, signNote } from '@recordproof/shared/evidence/signed-note.ts';
import { boundedFetch } from '../../platform/http/bounded-fetch.ts';
import { deriveSeed, toNoteSigner, toPublicBytes, verifyEd25519 } from '../chain/index.ts';

/** The second line of a checkpoint is a number, so this is never a checkpoint. */
const firstLine = 'recordproof ledger witness key';
/** The PKCS #8 prefix of an Ed25519 key, before its seed. */
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

/** Rejects with a message unless the key is signed by the peer's ledger. */
export async function fetchPeerKey(url: string, ledgerKey: TypedNoteKey, signal: AbortSignal): Promise<TypedNoteKey> {
  const { status, body } = await boundedFetch(`${url}/ledger/witness/key`, { method: 'GET', signal });
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
