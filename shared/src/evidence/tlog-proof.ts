// The C2SP tlog-proof@v1 (docs/spec/vouchers.md section 4): one log entry, its path to the root, and the signed
// checkpoint with this root. Only the canonical form is accepted. Untrusted until signatures and path are checked;
// `extra` is never authenticated by itself.
import { type Checkpoint, parseCheckpointText, parseLogSize } from './checkpoint.ts';
import { concatBytes, parseBase64, parseUtf8, toBase64, toUtf8 } from './digest.ts';
import { isIncluded } from './merkle.ts';
import { maxNoteBytes, parseSignedNote, type SignedNote } from './signed-note.ts';

const firstLine = 'c2sp.org/tlog-proof@v1';
const maxExtraBytes = 64 * 1024;
/** A path in a tree of 2^53 leaves has 53 hashes. */
const maxPathHashes = 63;
const maxProofBytes = maxNoteBytes + 128 * 1024;

type TlogProof = {
  /** Position of the entry from 0. */
  readonly index: number;
  /** Sibling hashes from the leaf to the root. */
  readonly path: readonly Uint8Array[];
  /** In proofs of this product: the bytes of the entry. */
  readonly extra?: Uint8Array;
  /** The signed checkpoint, verbatim. */
  readonly checkpoint: Uint8Array;
};

/** The proof with its parsed checkpoint; still untrusted. */
type ParsedTlogProof = TlogProof & { readonly note: SignedNote; readonly tree: Checkpoint };

export function writeTlogProof({ index, path, extra, checkpoint }: TlogProof): Uint8Array {
  const lines = [
    firstLine,
    ...(extra === undefined ? [] : [`extra ${toBase64(extra)}`]),
    `index ${index}`,
    ...path.map(toBase64),
    '',
    '',
  ];
  const bytes = concatBytes(toUtf8(lines.join('\n')), checkpoint);
  parseTlogProof(bytes);
  return bytes;
}

/** Throws RangeError with the defect. */
export function parseTlogProof(bytes: Uint8Array): ParsedTlogProof {
  if (bytes.length > maxProofBytes) throw new RangeError(`the proof exceeds ${maxProofBytes} bytes`);
  const end = findEmptyLine(bytes);
  const [first, ...lines] = parseUtf8(bytes.subarray(0, end)).split('\n');
  if (first !== firstLine) throw new RangeError(`the first line of the proof is not ${firstLine}`);
  const extra = lines[0]?.startsWith('extra ') ? parseExtra(lines.shift() ?? '') : undefined;
  const index = parseIndex(lines.shift() ?? '');
  if (lines.length > maxPathHashes) throw new RangeError('the path of the proof is too long');
  const checkpoint = bytes.slice(end + 2);
  const note = parseSignedNote(checkpoint);
  return {
    index,
    path: lines.map(parseHash),
    ...(extra === undefined ? {} : { extra }),
    checkpoint,
    note,
    tree: parseCheckpointText(note.text),
  };
}

/** The position of the first two consecutive line feeds; searched in bytes, because the following note is large. */
function findEmptyLine(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) if (bytes[at + 1] === 0x0a) return at;
  throw new RangeError('the proof has no checkpoint');
}

function parseExtra(line: string): Uint8Array {
  const extra = parseBase64(line.slice('extra '.length));
  if (extra.length === 0 || extra.length > maxExtraBytes)
    throw new RangeError(`the extra data of a proof has 1 to ${maxExtraBytes} bytes`);
  return extra;
}

function parseIndex(line: string): number {
  const index = line.startsWith('index ') ? parseLogSize(line.slice('index '.length)) : undefined;
  if (index === undefined) throw new RangeError('the proof has no index');
  return index;
}

export function parseHash(line: string): Uint8Array {
  const hash = parseBase64(line);
  if (hash.length !== 32) throw new RangeError('a hash line holds 32 bytes in base64');
  return hash;
}

/** Whether the path leads from this leaf, at the proof's position, to the root of its checkpoint. */
export const isProofOf = (leafHash: Uint8Array, proof: ParsedTlogProof): boolean =>
  isIncluded(leafHash, proof.index, proof.tree.size, proof.path, proof.tree.root);
