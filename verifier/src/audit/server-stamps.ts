// Time stamps served by a ledger with their checkpoints (`/ledger/stamps`). They are untrusted: the checkpoints are
// compared like kept ones, and the stamps are verified under the caller's roots.
import { parseCheckpointText } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseBase64, parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import type { CheckpointNote } from './parse-checkpoints.ts';

export type StampedCheckpoint = CheckpointNote & { readonly stamps: readonly Uint8Array[] };

/** The number served by this release. */
const mostCheckpoints = 16;
const mostStamps = 16;

/** Those of at most `size` entries: a later one is part of the next audit. Throws RangeError. */
export function parseServerStamps(bytes: Uint8Array, size: number): StampedCheckpoint[] {
  const { data } = JSON.parse(parseUtf8(bytes)) as { data?: { checkpoints?: unknown } };
  return toList(data?.checkpoints, mostCheckpoints)
    .map(one => ({
      note: toUtf8(toText(one.checkpoint)),
      stamps: toList(one.stamps, mostStamps).map(stamp => parseBase64(toText(stamp.tsr))),
    }))
    .filter(({ note }) => parseCheckpointText(parseSignedNote(note).text).size <= size);
}

type Row = Readonly<Record<string, unknown>>;

function toList(value: unknown, most: number): Row[] {
  if (!Array.isArray(value) || value.length > most) throw new RangeError('the list of time stamps is not one');
  return value.map(one => {
    if (typeof one !== 'object' || one === null) throw new RangeError('the list of time stamps is not one');
    return one as Row;
  });
}

function toText(value: unknown): string {
  if (typeof value !== 'string') throw new RangeError('a time stamp is no text');
  return value;
}
