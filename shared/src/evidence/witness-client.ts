// The client side of the witness protocol (docs/spec/vouchers.md section 6), without network: the request body of a
// log, and validation of the response.
import { parseLogSize } from './checkpoint.ts';
import { type NoteVerifiers, verifyCosignature } from './cosignature.ts';
import { concatBytes, parseUtf8, toBase64, toUtf8 } from './digest.ts';
import { type TypedNoteKey, typedKeyId } from './note-keys.ts';
import { parseSignatureLines, type SignedNote, signaturesBy, toSignatureLine } from './signed-note.ts';

type CheckpointRequest = {
  /** The size that the witness is assumed to have; 0 to query it. */
  readonly oldSize: number;
  /** RFC 9162 consistency proof from the old size; empty from 0 and from the same size. */
  readonly proof: readonly Uint8Array[];
  /** The signed checkpoint. */
  readonly checkpoint: Uint8Array;
};

export const toAddCheckpointBody = ({ oldSize, proof, checkpoint }: CheckpointRequest): Uint8Array =>
  concatBytes(toUtf8([`old ${oldSize}`, ...proof.map(toBase64), '', ''].join('\n')), checkpoint);

/**
 * One line of a response per key: a valid cosignature of this note. Others are left out, because a note has room for few
 * lines. Throws RangeError if the response is malformed, or if no line is valid.
 */
export async function collectCosignatures(
  answer: Uint8Array,
  { text }: SignedNote,
  keys: readonly TypedNoteKey[],
  verifiers: NoteVerifiers,
): Promise<string> {
  const note: SignedNote = { text, signatures: parseSignatureLines(parseUtf8(answer)) };
  let lines = '';
  for (const key of keys) {
    const verdict = await verifyCosignature(note, key, verifiers);
    if (verdict.state === 'ABSENT' || verdict.state === 'UNCHECKED') continue;
    if (verdict.state === 'WRONG') throw new RangeError('a cosignature of the witness is wrong');
    for (const { name, keyId, signature } of signaturesBy(note, key.name, typedKeyId(key)).slice(0, 1))
      lines += toSignatureLine(name, keyId, signature);
  }
  if (lines === '') throw new RangeError('the witness answered no cosignature of its key');
  return lines;
}

/** The size in a witness's 409 response of type text/x.tlog.size. Throws RangeError. */
export function parseConflict(answer: Uint8Array): number {
  const text = parseUtf8(answer);
  const size = text.endsWith('\n') ? parseLogSize(text.slice(0, -1)) : undefined;
  if (size === undefined) throw new RangeError('the witness did not answer a size');
  return size;
}
