// The path from a file to the root of the ledger as OpenTimestamps operations (docs/spec/vouchers.md section 10):
// through file.hash, manifest.json and the entry with its digest.
import { concatBytes, parseUtf8, sha256, toHex, toUtf8 } from './digest.ts';
import { pathSides } from './merkle.ts';
import { append, type OtsOperation, prepend } from './ots-operations.ts';

type FileInLedger = {
  /** Bytes of the entry file.hash of the proof. */
  readonly fileHash: Uint8Array;
  readonly manifest: Uint8Array;
  /** Of the kind PROOF_ISSUED. */
  readonly entry: Uint8Array;
  readonly index: number;
  readonly treeSize: number;
  readonly path: readonly Uint8Array[];
};

const hash: OtsOperation = { kind: 'sha256' };
const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** Applied to the SHA-256 of the file, they give the root; throws RangeError if a step does not lead to the next. */
export function fileToRoot({ fileHash, manifest, entry, index, treeSize, path }: FileInLedger): OtsOperation[] {
  const sides = pathSides(index, treeSize);
  const steps = path.flatMap((sibling, at) =>
    sides[at] === 'LEFT'
      ? [prepend(concatBytes(nodePrefix, sibling)), hash]
      : [prepend(nodePrefix), append(sibling), hash],
  );
  return [
    ...[{ kind: 'hexlify' } as const, prepend(toUtf8('sha256:')), append(toUtf8('\n')), hash],
    ...embed(sha256(fileHash), manifest),
    ...embed(sha256(manifest), concatBytes(leafPrefix, entry)),
    ...steps,
  ];
}

/** From a digest to the hash of the text that contains its hex digits. */
function embed(digest: Uint8Array, bytes: Uint8Array): OtsOperation[] {
  const [before = '', after = '', ...more] = parseUtf8(bytes).split(toHex(digest));
  if (before === '' || after === '' || more.length > 0) throw new RangeError('the text does not hold the digest once');
  return [{ kind: 'hexlify' }, prepend(toUtf8(before)), append(toUtf8(after)), hash];
}
