// Evidence of a log that contradicts itself: two signed checkpoints and, if their sizes differ, hashes of the larger
// tree that give another root for its first entries than the smaller checkpoint. It can be verified on its own.
import { isSameBytes, sha256, toHex } from './digest.ts';
import { openNodes, type ReadTile } from './log-reader.ts';
import { hashNode } from './merkle.ts';
import { type NodeAddress, perfectNodes, type SizedRoot } from './merkle-ranges.ts';

/** A checkpoint with its signed note. */
export type SignedCheckpoint = { readonly checkpoint: SizedRoot; readonly note: string };

type Pair = readonly [SignedCheckpoint, SignedCheckpoint];

/** The file `recordproof.ledger-contradiction.v1` (docs/spec/ledger.md section 6) on two checkpoints of one key. */
export async function describeContradiction(key: string, pair: Pair, readTile: ReadTile) {
  const [older, newer] = [...pair].sort((a, b) => a.checkpoint.size - b.checkpoint.size) as [
    SignedCheckpoint,
    SignedCheckpoint,
  ];
  // A log that was rolled back, or withholds its tiles, serves no hashes: then the two signatures are the evidence.
  const nodes = await findContradiction(readTile, [older.checkpoint, newer.checkpoint]).catch(() => undefined);
  return {
    schema: 'recordproof.ledger-contradiction.v1',
    key,
    older: older.note,
    newer: newer.note,
    isProof: nodes !== undefined,
    nodes: (nodes ?? []).map(({ level, index, hash: node }) => ({ level, index, hash: toHex(node) })),
  };
}

type NodeHash = NodeAddress & { readonly hash: Uint8Array };

/** The perfect subtrees of the first entries and of the following ones: at most 106 of them form the larger tree. */
const addressesOf = (older: number, newer: number): NodeAddress[] => [
  ...perfectNodes({ start: 0, end: older }),
  ...perfectNodes({ start: older, end: newer }),
];

/** Reads hashes that prove the contradiction; undefined if the log proves none. */
async function findContradiction(
  readTile: ReadTile,
  [older, newer]: readonly [SizedRoot, SizedRoot],
): Promise<readonly NodeHash[] | undefined> {
  if (older.size === newer.size) return isContradiction([older, newer], []) ? [] : undefined;
  const getNode = openNodes(readTile, newer.size);
  const addresses = addressesOf(older.size, newer.size);
  const nodes = await Promise.all(addresses.map(async node => ({ ...node, hash: await getNode(node) })));
  return isContradiction([older, newer], nodes) ? nodes : undefined;
}

/** Whether the hashes give the root of the larger checkpoint, and a root other than that of the smaller one. */
export function isContradiction([older, newer]: readonly [SizedRoot, SizedRoot], nodes: readonly NodeHash[]): boolean {
  if (older.size > newer.size || older.size < 0) return false;
  if (older.size === newer.size) return !isSameBytes(older.root, newer.root);
  const expected = addressesOf(older.size, newer.size);
  const isComplete =
    nodes.length === expected.length &&
    expected.every(({ level, index }, at) => nodes[at]?.level === level && nodes[at]?.index === index);
  if (!isComplete || nodes.some(node => node.hash.length !== 32)) return false;
  const hashes = new Map(nodes.map(node => [nameOf(node), node.hash]));
  const root = (size: number): Uint8Array => foldRange(size, node => getOrFold(node, hashes));
  return isSameBytes(root(newer.size), newer.root) && !isSameBytes(root(older.size), older.root);
}

const nameOf = ({ level, index }: NodeAddress): string => `${level}/${index}`;

function foldRange(size: number, getNode: (node: NodeAddress) => Uint8Array): Uint8Array {
  const nodes = perfectNodes({ start: 0, end: size }).map(getNode);
  const last = nodes.pop();
  return last === undefined
    ? sha256(new Uint8Array(0))
    : nodes.reduceRight((right, left) => hashNode(left, right), last);
}

/** A subtree across the boundary between the two is computed from its halves. */
function getOrFold(node: NodeAddress, hashes: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const found = hashes.get(nameOf(node));
  if (found !== undefined) return found;
  if (node.level === 0) throw new RangeError(`the hash of tree node ${nameOf(node)} (level/index) is missing`);
  const half = { level: node.level - 1, index: node.index * 2 };
  return hashNode(getOrFold(half, hashes), getOrFold({ ...half, index: half.index + 1 }, hashes));
}
