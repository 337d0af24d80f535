// Kept checkpoints of a ledger, in any common form: a signed checkpoint, a tlog-proof, or lines of `recordproof ledger
// watch`. Untrusted until the signature is checked.
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';

export type CheckpointNote = {
  readonly note: Uint8Array;
  /** The verifier key stored with it. */
  readonly key?: string;
};

/** Throws RangeError, SyntaxError or TypeError for any other form. */
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
