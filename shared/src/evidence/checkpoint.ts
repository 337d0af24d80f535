// C2SP tlog checkpoints: origin, tree size and root hash as the text of a signed note (docs/spec/ledger.md section 3).
// Rejects sizes with leading zeros, roots that are not 32 bytes, and an origin other than the key's name.
import { parseBase64, toBase64 } from './digest.ts';
import type { VerifyEd25519 } from './ed25519.ts';
import { isNoteName, type NoteKey, type NoteSigner, openSignedNote, signNote } from './signed-note.ts';

export type Checkpoint = { origin: string; size: number; root: Uint8Array };

export function toCheckpointText(checkpoint: Checkpoint): string {
  if (!isNoteName(checkpoint.origin)) throw new RangeError('the origin of a log is one word');
  if (!Number.isSafeInteger(checkpoint.size) || checkpoint.size < 0)
    throw new RangeError(`the size ${checkpoint.size} of a checkpoint is not a whole number from 0 to 2^53 - 1`);
  if (checkpoint.root.length !== 32) throw wrongRoot(checkpoint.root);
  return `${checkpoint.origin}\n${checkpoint.size}\n${toBase64(checkpoint.root)}\n`;
}

const wrongRoot = ({ length }: Uint8Array) =>
  new RangeError(`the root hash of a checkpoint must have 32 bytes, not ${length}`);

/** A size or a position in decimal without leading zeros; returns undefined for anything else. */
export function parseLogSize(text: string): number | undefined {
  const size = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(size) ? size : undefined;
}

/** Reads the first three lines; further lines are signed extensions, which are ignored. */
export function parseCheckpointText(text: string): Checkpoint {
  if (!text.endsWith('\n')) throw new RangeError('the checkpoint is incomplete: it does not end with a line feed');
  const [origin = '', size = '', root = '', ...extensions] = text.slice(0, -1).split('\n');
  // Other logs may have an origin with spaces; it is compared, never split.
  if (origin === '') throw new RangeError('the first line of the checkpoint, the origin of the log, is empty');
  if (parseLogSize(size) === undefined) throw new RangeError('the second line of the checkpoint is not a tree size');
  const hash = parseBase64(root);
  if (hash.length !== 32) throw wrongRoot(hash);
  if (extensions.includes('')) throw new RangeError('the checkpoint has an empty line after the root hash');
  return { origin, size: Number(size), root: hash };
}

export const signCheckpoint = (checkpoint: Checkpoint, signers: readonly NoteSigner[]): Promise<Uint8Array> =>
  signNote(toCheckpointText(checkpoint), signers);

/** Throws unless the note is signed by the log's key and names that log. */
export async function openCheckpoint(bytes: Uint8Array, key: NoteKey, verify: VerifyEd25519): Promise<Checkpoint> {
  const checkpoint = parseCheckpointText(await openSignedNote(bytes, key, verify));
  if (checkpoint.origin !== key.name) throw new RangeError('the checkpoint is of another log');
  return checkpoint;
}
