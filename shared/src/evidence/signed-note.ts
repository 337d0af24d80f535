// C2SP signed notes with Ed25519 keys (docs/spec/ledger.md section 3): text, blank line, signature lines. Ambiguous
// notes are rejected. Signatures of unknown keys are skipped, as the format requires.
import { concatBytes, isSameBytes, parseBase64, parseUtf8, sha256, toBase64, toHex, toUtf8 } from './digest.ts';
import { isSignedBy, type SignEd25519, type VerifyEd25519 } from './ed25519.ts';
import { isPublicKey } from './ed25519-points.ts';

const ed25519Type = 0x01;
/** Enough for two logs and 64 witnesses (tlog-policy.ts); an ML-DSA-44 signature takes 3.3 kB in base64. */
export const maxNoteBytes = 256 * 1024;
const maxSignatures = 72;
const namePattern = /^[^\s+\p{Cc}]{1,255}$/u;
const signatureLine = /^\u2014 ([^\s+\p{Cc}]{1,255}) ([A-Za-z0-9+/]+={0,2})$/u;
// The note format allows no control character but the line feed.
const hasControlCharacter = (text: string) => [...text].some(letter => letter < ' ' && letter !== '\n');

export type NoteKey = { name: string; publicKey: Uint8Array };
export type NoteSigner = NoteKey & { sign: SignEd25519 };
type NoteSignature = { name: string; keyId: Uint8Array; signature: Uint8Array };
export type SignedNote = { text: string; signatures: NoteSignature[] };

export const isNoteName = (name: string): boolean => namePattern.test(name);

/** The first four bytes of SHA-256(name ‖ LF ‖ signature type ‖ public key). */
export function noteKeyId(key: NoteKey, type = ed25519Type): Uint8Array {
  return sha256(concatBytes(toUtf8(key.name), Uint8Array.of(0x0a, type), key.publicKey)).slice(0, 4);
}

/** One signature line, including the line feed. */
export const toSignatureLine = (name: string, keyId: Uint8Array, signature: Uint8Array): string =>
  `\u2014 ${name} ${toBase64(concatBytes(keyId, signature))}\n`;

/** `<name>+<key id in hex>+<base64(0x01 ‖ public key)>`: the key configured in witnesses and monitors. */
export function toVerifierKey(key: NoteKey): string {
  if (!isNoteName(key.name) || key.publicKey.length !== 32) throw new RangeError('not a key for signed notes');
  const typed = concatBytes(Uint8Array.of(ed25519Type), key.publicKey);
  return `${key.name}+${toHex(noteKeyId(key))}+${toBase64(typed)}`;
}

export function parseVerifierKey(text: string): NoteKey {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (parts === null) throw new RangeError('not a verifier key');
  const [, name = '', keyId = '', encoded = ''] = parts;
  const typed = parseBase64(encoded);
  const key = { name, publicKey: typed.slice(1) };
  if (!isNoteName(name) || typed.length !== 33 || typed[0] !== ed25519Type || !isPublicKey(key.publicKey))
    throw new RangeError('not an Ed25519 verifier key');
  if (toHex(noteKeyId(key)) !== keyId) throw new RangeError('the key id does not belong to this key');
  return key;
}

/** `text` ends with a line feed and has no blank line at its end. */
export async function signNote(text: string, signers: readonly NoteSigner[]): Promise<Uint8Array> {
  if (!text.endsWith('\n') || hasControlCharacter(text) || !text.isWellFormed())
    throw new RangeError('a note is plain text that ends with a line feed');
  let lines = '';
  for (const signer of signers) {
    const signature = await signer.sign(toUtf8(text));
    lines += toSignatureLine(signer.name, noteKeyId(signer), signature);
  }
  if (lines === '') throw new RangeError('a signed note has a signature');
  return toUtf8(`${text}\n${lines}`);
}

/** Structure only; nothing is authenticated yet. */
export function parseSignedNote(bytes: Uint8Array): SignedNote {
  if (bytes.length > maxNoteBytes) throw new RangeError(`the note exceeds ${maxNoteBytes} bytes`);
  const whole = parseUtf8(bytes);
  if (hasControlCharacter(whole)) throw new RangeError('the note holds control characters');
  const split = whole.lastIndexOf('\n\n');
  if (split < 0 || !whole.endsWith('\n')) throw new RangeError('the note has no signatures');
  return { text: whole.slice(0, split + 1), signatures: parseSignatureLines(whole.slice(split + 2)) };
}

/** The signature lines after the empty line of a note, or in a witness's response. Each line ends with a line feed. */
export function parseSignatureLines(text: string): NoteSignature[] {
  if (!text.endsWith('\n')) throw new RangeError('the last signature line has no line feed');
  const lines = text.slice(0, -1).split('\n');
  if (lines.length > maxSignatures) throw new RangeError('the note has too many signatures');
  return lines.map(parseSignatureLine);
}

function parseSignatureLine(line: string): NoteSignature {
  const parts = signatureLine.exec(line);
  if (parts === null) throw new RangeError('a signature line of the note is malformed');
  const bytes = parseBase64(parts[2] ?? '');
  if (bytes.length < 5) throw new RangeError('a signature of the note is too short');
  return { name: parts[1] ?? '', keyId: bytes.slice(0, 4), signature: bytes.slice(4) };
}

/** The text of the note, if `key` signed it; throws otherwise. Other signatures are ignored. */
export async function openSignedNote(bytes: Uint8Array, key: NoteKey, verify: VerifyEd25519): Promise<string> {
  const note = parseSignedNote(bytes);
  const own = signaturesBy(note, key.name, noteKeyId(key));
  const [only] = own;
  if (only === undefined || own.length > 1) throw new RangeError('the note is not signed once by the expected key');
  if (!(await isSignedBy(key.publicKey, toUtf8(note.text), only.signature, verify)))
    throw new RangeError('the signature of the note is wrong');
  return note.text;
}

export const signaturesBy = (note: SignedNote, name: string, keyId: Uint8Array): NoteSignature[] =>
  note.signatures.filter(signature => signature.name === name && isSameBytes(signature.keyId, keyId));

/** The note with further signature lines at its end, for example those of a witness's response. */
export function addSignatureLines(note: Uint8Array, lines: string): Uint8Array {
  parseSignatureLines(lines);
  const whole = concatBytes(note, toUtf8(lines));
  parseSignedNote(whole);
  return whole;
}
