// An independent implementation of docs/spec/ledger.md, without our code: @noble/hashes for SHA-256 and node:crypto for
// the signature. It reads a log as a client would, and recomputes every hash.
import { createPublicKey, verify } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';

const node = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(Buffer.concat([Buffer.of(1), left, right]));
const leaf = (entry: Uint8Array): Uint8Array => sha256(Buffer.concat([Buffer.of(0), entry]));

/** Perfect subtrees from left to right; two of one size become one of the next. */
export class IndependentTree {
  readonly leaves: Uint8Array[] = [];
  readonly #subtrees: { size: number; hash: Uint8Array }[] = [];

  add(entry: Uint8Array): void {
    let subtree = { size: 1, hash: leaf(entry) };
    this.leaves.push(subtree.hash);
    for (;;) {
      const left = this.#subtrees.at(-1);
      if (left?.size !== subtree.size) break;
      this.#subtrees.pop();
      subtree = { size: left.size * 2, hash: node(left.hash, subtree.hash) };
    }
    this.#subtrees.push(subtree);
  }

  root(): string {
    let hash: Uint8Array | undefined;
    for (const subtree of this.#subtrees.toReversed())
      hash = hash === undefined ? subtree.hash : node(subtree.hash, hash);
    return Buffer.from(hash ?? sha256(new Uint8Array(0))).toString('hex');
  }
}

const groups = (index: number): string => {
  let text = String(index % 1000).padStart(3, '0');
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    text = `x${String(rest % 1000).padStart(3, '0')}/${text}`;
  return text;
};
const suffix = (width: number): string => (width < 256 ? `.p/${width}` : '');

/** Every tile of a log with these leaves: path → hex. */
export function tilesOf(leaves: readonly Uint8Array[]): Map<string, string> {
  const tiles = new Map<string, string>();
  let hashes = [...leaves];
  for (let level = 0; hashes.length > 0; level++) {
    const above: Uint8Array[] = [];
    for (let start = 0; start < hashes.length; start += 256) {
      const part = hashes.slice(start, start + 256);
      tiles.set(`tile/${level}/${groups(start / 256)}${suffix(part.length)}`, Buffer.concat(part).toString('hex'));
      if (part.length < 256) continue;
      let row = part;
      while (row.length > 1) row = row.flatMap((left, i) => (i % 2 === 0 ? [node(left, row[i + 1] ?? left)] : []));
      above.push(...row);
    }
    hashes = above;
  }
  return tiles;
}

/**
 * The paths of the bundles with the entries [start, end) of a log of `end` entries, and the number of entries to skip
 * in each.
 */
export function bundlesOf(start: number, end: number): { path: string; skip: number }[] {
  const bundles = [];
  for (let index = Math.floor(start / 256); index * 256 < end; index++) {
    const width = Math.min(256, end - index * 256);
    bundles.push({ path: `tile/entries/${groups(index)}${suffix(width)}`, skip: Math.max(0, start - index * 256) });
  }
  return bundles;
}

export function entriesOf(bundle: Uint8Array): Uint8Array[] {
  const view = Buffer.from(bundle);
  const entries: Uint8Array[] = [];
  for (let at = 0; at < view.length; ) {
    const length = view.readUInt16BE(at);
    if (at + 2 + length > view.length) throw new Error('the bundle is cut off');
    entries.push(view.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return entries;
}

/** Size and root in hex of a checkpoint with a valid signature; throws otherwise. */
export function openNote(note: string, verifierKey: string): { size: number; root: string } {
  const [name = '', id = '', key = ''] = verifierKey.split(/\+(?=[0-9a-f]{8}\+)|(?<=\+[0-9a-f]{8})\+/);
  const publicKey = Buffer.from(key, 'base64').subarray(1);
  const at = note.indexOf('\n\n');
  const text = note.slice(0, at + 1);
  const [line = '', ...more] = note
    .slice(at + 2)
    .trimEnd()
    .split('\n');
  const signed = Buffer.from(line.slice(`\u2014 ${name} `.length), 'base64');
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]);
  const verifier = createPublicKey({ key: spki, type: 'spki', format: 'der' });
  const isSigned =
    more.length === 0 &&
    line.startsWith(`\u2014 ${name} `) &&
    signed.subarray(0, 4).toString('hex') === id &&
    verify(null, Buffer.from(text), verifier, signed.subarray(4));
  const [origin, size, root = ''] = text.split('\n');
  if (!isSigned || origin !== name) throw new Error('the checkpoint is not signed');
  return { size: Number(size), root: Buffer.from(root, 'base64').toString('hex') };
}
