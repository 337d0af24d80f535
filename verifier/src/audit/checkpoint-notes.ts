// Checkpoints of a ledger to compare with its newest one: kept ones, and those that the ledger serves with time stamps
// (`/ledger/stamps`). Untrusted until the signature is checked; the stamps are verified under the caller's roots.
import { parseCheckpointText } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseBase64, parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';

export type CheckpointNote = {
  readonly note: Uint8Array;
  /** The verifier key stored with it. */
  readonly key?: string;
};

/**
 * In any common form: a signed checkpoint, a tlog-proof, or lines of `recordproof ledger watch`. Throws RangeError,
 * SyntaxError or TypeError for any other form.
 */
export function parseCheckpointNotes(bytes: Uint8Array): CheckpointNote[] {
  const text = parseUtf8(bytes);
  if (text.startsWith('c2sp.org/tlog-proof')) return [{ note: parseTlogProof(bytes).checkpoint }];
  if (!text.startsWith('{')) return [{ note: bytes }];
  // An incomplete last line was being written when the machine stopped.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter(line => line !== '').map(parseLine);
}

function parseLine(line: string): CheckpointNote {
  const { key, note } = JSON.parse(line) as { key?: unknown; note?: unknown };
  if (typeof key !== 'string' || typeof note !== 'string')
    throw new TypeError('a line of kept checkpoints needs the texts "key" and "note"');
  return { key, note: toUtf8(note) };
}

export type StampedCheckpoint = CheckpointNote & { readonly stamps: readonly Uint8Array[] };

/** The number served by this release. */
const mostCheckpoints = 16;
const mostStamps = 16;

/** Those of at most `size` entries: a later one is part of the next audit. Throws RangeError. */
export function parseServerStamps(bytes: Uint8Array, size: number): StampedCheckpoint[] {
  const { data } = JSON.parse(parseUtf8(bytes)) as { data?: { checkpoints?: unknown } };
  return toList('checkpoints', data?.checkpoints, mostCheckpoints)
    .map(one => ({
      note: toUtf8(toText('checkpoint', one.checkpoint)),
      stamps: toList('stamps', one.stamps, mostStamps).map(stamp => parseBase64(toText('tsr', stamp.tsr))),
    }))
    .filter(({ note }) => parseCheckpointText(parseSignedNote(note).text).size <= size);
}

type Row = Readonly<Record<string, unknown>>;

function toList(member: string, value: unknown, most: number): Row[] {
  const isList = Array.isArray(value) && value.every(one => typeof one === 'object' && one !== null);
  if (!isList || value.length > most) throw new RangeError(`"${member}" must be a list of at most ${most} objects`);
  return value as Row[];
}

function toText(member: string, value: unknown): string {
  if (typeof value !== 'string') throw new RangeError(`"${member}" must be a text`);
  return value;
}
