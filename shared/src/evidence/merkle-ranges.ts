// Proofs over a log with nodes stored elsewhere (tiles): the subtrees of a proof, and verification of consistency
// between two sizes (RFC 9162 section 2.1.4). Rejects sizes out of order. Sizes may exceed 2^31.
import { isSameBytes, sha256 } from './digest.ts';
import { hashNode } from './merkle.ts';

/** The leaves [start, end). */
type LeafRange = { start: number; end: number };

/** A perfect subtree: node `index` of level `level`, covering leaves [index·2^level, (index+1)·2^level). */
export type NodeAddress = { level: number; index: number };

/** Resolves to the stored hash of a perfect subtree; may be called repeatedly for one. */
export type GetNode = (node: NodeAddress) => Uint8Array | Promise<Uint8Array>;

/** The largest power of two smaller than n, for n ≥ 2. */
function splitPoint(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

function assertSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError('a tree size is a whole number');
}

type Way = { isLeft(middle: number): boolean; isThere(subtree: LeafRange): boolean };

/** From the root to a subtree; the siblings of the way, the lowest first. */
function descend(size: number, { isLeft, isThere }: Way): { siblings: LeafRange[]; reached: LeafRange } {
  const siblings: LeafRange[] = [];
  let reached = { start: 0, end: size };
  while (!isThere(reached)) {
    const middle = reached.start + splitPoint(reached.end - reached.start);
    const [left, right] = [
      { start: reached.start, end: middle },
      { start: middle, end: reached.end },
    ];
    const goesLeft = isLeft(middle);
    siblings.push(goesLeft ? right : left);
    reached = goesLeft ? left : right;
  }
  return { siblings: siblings.reverse(), reached };
}

/** Sibling subtrees from the leaf to the root. */
export function inclusionRanges(leafIndex: number, treeSize: number): LeafRange[] {
  assertSize(treeSize);
  if (!Number.isSafeInteger(leafIndex) || leafIndex < 0 || leafIndex >= treeSize) throw new RangeError('no such leaf');
  return descend(treeSize, { isLeft: middle => leafIndex < middle, isThere: ({ start, end }) => end - start === 1 })
    .siblings;
}

/**
 * The subtrees of a consistency proof, in the order of the RFC; none if the sizes are equal or the old tree is empty.
 */
export function consistencyRanges(oldSize: number, newSize: number): LeafRange[] {
  assertSize(oldSize);
  assertSize(newSize);
  if (oldSize > newSize) throw new RangeError('the old tree is larger than the new one');
  if (oldSize === 0 || oldSize === newSize) return [];
  const { siblings, reached } = descend(newSize, {
    isLeft: middle => oldSize <= middle,
    isThere: ({ end }) => end === oldSize,
  });
  // The verifier already knows the old root if the old tree is a left subtree of the new one.
  return reached.start > 0 ? [reached, ...siblings] : siblings;
}

/** The perfect subtrees of a range that occurs in a tree, left to right. */
export function perfectNodes(range: LeafRange): NodeAddress[] {
  const nodes: NodeAddress[] = [];
  let start = range.start;
  while (start < range.end) {
    let level = 0;
    let span = 1;
    while (start % (span * 2) === 0 && start + span * 2 <= range.end) {
      span *= 2;
      level++;
    }
    nodes.push({ level, index: start / span });
    start += span;
  }
  return nodes;
}

export async function hashRange(range: LeafRange, getNode: GetNode): Promise<Uint8Array> {
  if (range.start === range.end) return sha256(new Uint8Array(0));
  let node: Uint8Array | undefined;
  for (const address of perfectNodes(range).reverse()) {
    const left = await getNode(address);
    node = node === undefined ? left : hashNode(left, node);
  }
  if (node === undefined) throw new RangeError('an empty range');
  return node;
}

export const hashRanges = (ranges: readonly LeafRange[], getNode: GetNode) =>
  Promise.all(ranges.map(range => hashRange(range, getNode)));

export type SizedRoot = { size: number; root: Uint8Array };

/** Whether `proof` shows that the new tree extends the old one. */
export function isConsistent(older: SizedRoot, newer: SizedRoot, proof: readonly Uint8Array[]): boolean {
  if (!Number.isSafeInteger(older.size) || !Number.isSafeInteger(newer.size)) return false;
  if (older.size < 0 || older.size > newer.size || proof.some(node => node.length !== 32)) return false;
  if (older.size === 0)
    return proof.length === 0 && isSameBytes(older.root, sha256(new Uint8Array(0))) && isRootOfItsSize(newer);
  if (older.size === newer.size) return proof.length === 0 && isSameBytes(older.root, newer.root);
  return foldConsistency(older, newer, proof);
}

const isRootOfItsSize = (tree: SizedRoot): boolean =>
  tree.root.length === 32 && (tree.size > 0 || isSameBytes(tree.root, sha256(new Uint8Array(0))));

function foldConsistency(older: SizedRoot, newer: SizedRoot, proof: readonly Uint8Array[]): boolean {
  let oldNode = older.size - 1;
  let newNode = newer.size - 1;
  while (oldNode % 2 === 1) {
    oldNode = Math.floor(oldNode / 2);
    newNode = Math.floor(newNode / 2);
  }
  const rest = [...proof];
  const seed = oldNode === 0 ? older.root : rest.shift();
  if (seed === undefined) return false;
  let oldRoot = seed;
  let newRoot = seed;
  for (const sibling of rest) {
    if (newNode === 0) return false;
    if (oldNode % 2 === 1 || oldNode === newNode) {
      oldRoot = hashNode(sibling, oldRoot);
      newRoot = hashNode(sibling, newRoot);
      while (oldNode % 2 === 0 && oldNode !== 0) {
        oldNode = Math.floor(oldNode / 2);
        newNode = Math.floor(newNode / 2);
      }
    } else newRoot = hashNode(newRoot, sibling);
    oldNode = Math.floor(oldNode / 2);
    newNode = Math.floor(newNode / 2);
  }
  return newNode === 0 && isSameBytes(oldRoot, older.root) && isSameBytes(newRoot, newer.root);
}
