// Cosignatures of checkpoints (C2SP tlog-cosignature, docs/spec/vouchers.md section 3): the signed message, the
// signature line, and verification of a known key's signatures in a note. The signature libraries are parameters.
import { type Checkpoint, parseCheckpointText } from './checkpoint.ts';
import { concatBytes, toUtf8 } from './digest.ts';
import { isSignedBy, type VerifyEd25519 } from './ed25519.ts';
import { type TypedNoteKey, typedKeyId } from './note-keys.ts';
import { type SignedNote, signaturesBy, toSignatureLine } from './signed-note.ts';

/** ML-DSA-44 of FIPS 204 with an empty context. An exception counts as invalid. */
export type VerifyMlDsa44 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

export type NoteVerifiers = {
  readonly ed25519: VerifyEd25519;
  /** Without it such signatures are not checked. */
  readonly mlDsa44?: VerifyMlDsa44 | undefined;
};

/** The key's type determines the message; `sign` returns the plain signature of it. */
export type TypedNoteSigner = TypedNoteKey & {
  readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
};

/** The last second that a Date can hold. Later times, which the format allows, are rejected. */
const maxTimeSeconds = 8_640_000_000_000;
const timeBytes = 8;
const signatureBytes = { COSIGNATURE: 64, ML_DSA_44: 2420 } as const;
const mlDsaLabel = toUtf8('subtree/v1\n\0');

export async function signCosignatureLine(text: string, signer: TypedNoteSigner, timeSeconds: number): Promise<string> {
  if (!isTime(timeSeconds)) throw new RangeError('a cosignature has a time in whole seconds since 1970');
  const signature = await signer.sign(cosignedMessage(text, signer, timeSeconds));
  return toSignatureLine(signer.name, typedKeyId(signer), concatBytes(toUint64(timeSeconds), signature));
}

/** The signed message. Type ED25519 signs no time and has no such message. */
export function cosignedMessage(text: string, key: TypedNoteKey, timeSeconds: number): Uint8Array {
  if (key.type === 'ED25519') throw new RangeError('a key of type 0x01 cannot make cosignatures');
  if (key.type === 'COSIGNATURE') return toUtf8(`cosignature/v1\ntime ${timeSeconds}\n${text}`);
  const { origin, size, root }: Checkpoint = parseCheckpointText(text);
  return concatBytes(
    mlDsaLabel,
    toShortText(key.name),
    toUint64(timeSeconds),
    toShortText(origin),
    toUint64(0),
    toUint64(size),
    root,
  );
}

/** Prefixed by its length, as one byte. */
function toShortText(text: string): Uint8Array {
  const bytes = toUtf8(text);
  if (bytes.length < 1 || bytes.length > 255) throw new RangeError('a name takes 1 to 255 bytes');
  return concatBytes(Uint8Array.of(bytes.length), bytes);
}

function toUint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

const isTime = (seconds: number): boolean => Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= maxTimeSeconds;

/**
 * The result for one known key in a note. VALID: every signature line of the key verifies; `timeSeconds` is the
 * earliest stated time, absent if there is none. WRONG: one of them does not verify. UNCHECKED: there is one, but no
 * library for its type.
 */
export type CosignatureResult =
  | { readonly state: 'ABSENT' | 'WRONG' | 'UNCHECKED' }
  | { readonly state: 'VALID'; readonly timeSeconds?: number };

export async function verifyCosignature(
  note: SignedNote,
  key: TypedNoteKey,
  verifiers: NoteVerifiers,
): Promise<CosignatureResult> {
  const own = signaturesBy(note, key.name, typedKeyId(key));
  if (own.length === 0) return { state: 'ABSENT' };
  if (key.type === 'ML_DSA_44' && verifiers.mlDsa44 === undefined) return { state: 'UNCHECKED' };
  const times: number[] = [];
  for (const { signature } of own) {
    const time = await checkSignature(note.text, key, signature, verifiers);
    if (time === undefined) return { state: 'WRONG' };
    if (time > 0) times.push(time);
  }
  return times.length === 0 ? { state: 'VALID' } : { state: 'VALID', timeSeconds: Math.min(...times) };
}

/** The time stated by a valid signature, 0 if none; undefined for an invalid one. Never throws. */
async function checkSignature(
  text: string,
  key: TypedNoteKey,
  signature: Uint8Array,
  { ed25519, mlDsa44 }: NoteVerifiers,
): Promise<number | undefined> {
  if (key.type === 'ED25519')
    return (await isSignedBy(key.publicKey, toUtf8(text), signature, ed25519)) ? 0 : undefined;
  if (signature.length !== timeBytes + signatureBytes[key.type]) return undefined;
  const time = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  if (!isTime(time)) return undefined;
  const plain = signature.slice(timeBytes);
  try {
    const message = cosignedMessage(text, key, time);
    const isRight =
      key.type === 'COSIGNATURE'
        ? await isSignedBy(key.publicKey, message, plain, ed25519)
        : (await mlDsa44?.(key.publicKey, message, plain)) === true;
    return isRight ? time : undefined;
  } catch {
    return undefined;
  }
}
