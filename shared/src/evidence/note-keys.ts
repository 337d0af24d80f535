// Keys of signed notes in their three types (docs/spec/vouchers.md section 2) and their text form, the verifier key
// `<name>+<key id>+<base64(type ‖ public key)>`. Rejects keys of other types, sizes and unsafe points.
import { concatBytes, parseBase64, toBase64, toHex } from './digest.ts';
import { isPublicKey } from './ed25519-points.ts';
import { isNoteName, type NoteKey, noteKeyId } from './signed-note.ts';

const types = {
  /** Ed25519 over the text of the note: signatures of logs. */
  ED25519: { byte: 0x01, keyBytes: 32 },
  /** Ed25519 over a time and the text: cosignatures of witnesses. */
  COSIGNATURE: { byte: 0x04, keyBytes: 32 },
  /** ML-DSA-44 over a time, origin, size and root: for witnesses and logs. */
  ML_DSA_44: { byte: 0x06, keyBytes: 1312 },
} as const;

type NoteKeyType = keyof typeof types;
/** Made by `parseTypedKey` or from a private key: its bytes are already checked. */
export type TypedNoteKey = NoteKey & { readonly type: NoteKeyType };

const typeNames = Object.keys(types) as NoteKeyType[];

export const typedKeyId = (key: TypedNoteKey): Uint8Array => noteKeyId(key, types[key.type].byte);

export function toTypedKeyText(key: TypedNoteKey): string {
  if (!isNoteName(key.name) || !isKeyOfType(key)) throw new RangeError('not a key for signed notes');
  const typed = concatBytes(Uint8Array.of(types[key.type].byte), key.publicKey);
  return `${key.name}+${toHex(typedKeyId(key))}+${toBase64(typed)}`;
}

/** Throws RangeError with the defect of the text. */
export function parseTypedKey(text: string): TypedNoteKey {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (parts === null) throw new RangeError('a verifier key is written <name>+<key id>+<base64>');
  const [, name = '', keyId = '', encoded = ''] = parts;
  const typed = parseBase64(encoded);
  const type = typeNames.find(known => types[known].byte === typed[0]);
  if (type === undefined) throw new RangeError('the verifier key is of a type that is not supported');
  const key = { type, name, publicKey: typed.slice(1) };
  if (!isNoteName(name) || !isKeyOfType(key)) throw new RangeError('the verifier key is malformed');
  if (toHex(typedKeyId(key)) !== keyId) throw new RangeError('the key id does not belong to this verifier key');
  return key;
}

const isKeyOfType = ({ type, publicKey }: TypedNoteKey): boolean =>
  publicKey.length === types[type].keyBytes && (type === 'ML_DSA_44' || isPublicKey(publicKey));
