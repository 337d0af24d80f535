// Configuration of the ledger's witnesses: each is an address and one or more verifier keys, separated by spaces.
// Rejects keys of the wrong type, duplicate keys, and a quorum that cannot be reached.
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseTypedKey, type TypedNoteKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { findTwice, reasonOf, rejectWebAddress } from './validation.ts';

/** Earlier releases read checkpoints with at most 16 signatures, including the log's own. */
export const mostWitnessKeys = 15;

/** The log's second signature takes the slot of a witness. */
const mostKeysBeside = (isPostQuantum: boolean): number => mostWitnessKeys - (isPostQuantum ? 1 : 0);

type WitnessAddress = {
  /** Without a trailing slash. */
  readonly url: string;
  /** Of a witness: its cosigning keys. Of a peer: the single key of its ledger. */
  readonly keys: readonly TypedNoteKey[];
};

/** Throws RangeError with the end of an error sentence. */
function parseWitness(text: string, isKey: (key: TypedNoteKey) => boolean, keyText: string): WitnessAddress {
  const [url = '', ...keyTexts] = text.split(/\s+/);
  const why = rejectWebAddress(url);
  if (why !== null) throw new RangeError(`must be an address followed by its keys, and the address ${why}`);
  if (keyTexts.length === 0) throw new RangeError(`must name ${keyText} behind the address ${url}, after a space`);
  const keys = keyTexts.map(keyOf);
  if (!keys.every(isKey))
    throw new RangeError(`must name ${keyText} behind the address ${url}, not another kind of key`);
  if (new Set(keys.map(({ name }) => name)).size > 1)
    throw new RangeError(`must name keys of one name behind the address ${url}`);
  return { url: url.replace(/\/+$/, ''), keys };
}

function keyOf(text: string): TypedNoteKey {
  try {
    return parseTypedKey(text);
  } catch (cause) {
    throw new RangeError(`must hold verifier keys that can be read: ${(cause as Error).message}`, { cause });
  }
}

const toWitness = (text: string): WitnessAddress =>
  parseWitness(text, ({ type }) => type !== 'ED25519', 'the verifier key of a witness (type 0x04 or 0x06)');

function toPeer(text: string): WitnessAddress {
  const peer = parseWitness(text, ({ type }) => type === 'ED25519', 'the verifier key of a ledger (type 0x01)');
  if (peer.keys.length > 1) throw new RangeError(`must name one verifier key behind the address ${peer.url}`);
  return peer;
}

export const rejectWitness = (text: string): string | null => reasonOf(() => toWitness(text));
export const rejectPeer = (text: string): string | null => reasonOf(() => toPeer(text));

type WitnessSettings = {
  readonly witnesses: readonly string[];
  readonly peers: readonly string[];
  readonly quorum: number | undefined;
  readonly isPostQuantum: boolean;
};

export function toWitnesses(settings: WitnessSettings) {
  const witnesses = settings.witnesses.map(toWitness);
  const peers = settings.peers.map(toPeer);
  const keys = [...witnesses, ...peers].flatMap(({ keys }) => keys);
  const twice = findTwice(keys, ({ publicKey }) => toHex(publicKey));
  if (twice !== undefined) throw new ConfigError(`the witness key ${toTypedKeyText(twice)} is named twice.`);
  const namesake = findTwice(
    peers.flatMap(({ keys }) => keys),
    ({ name }) => name,
  );
  if (namesake !== undefined)
    throw new ConfigError(`ledger.witness-peers names two ledgers called ${namesake.name}; remove one of them.`);
  const most = mostKeysBeside(settings.isPostQuantum);
  if (keys.length > most)
    throw new ConfigError(`ledger.witnesses and ledger.witness-peers name ${keys.length} keys; ${most} is the most.`);
  const count = witnesses.length + peers.length;
  const quorum = settings.quorum ?? (count === 0 ? 0 : Math.floor(count / 2) + 1);
  if (quorum > count)
    throw new ConfigError(`ledger.witness-quorum (${quorum}) is more than there are witnesses and peers (${count}).`);
  return { witnesses, peers, quorum };
}
