// Merkle paths and receipts that do not belong to the proof, signed by the issuer's own key.

import { ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { type Case, encryptedProof, plainProof, toEntries, withEntry, zip } from './case.ts';
import { invalid, other, otherHex } from './evidence-cases.ts';
import { changed, type Loose, resigned } from './resign.ts';

const entries = toEntries(plainProof);

const inMerkle = (name: string, why: string, change: (m: Loose) => unknown, code = 'MERKLE_CONTRACT'): Case =>
  invalid(`merkle-${name}`, why, changed(entries, 'merkle-proof.json', change), 'merkle.path', code);

const merkle: Case[] = [
  inMerkle('schema', 'Another schema version.', m => Object.assign(m, { schemaVersion: 'x' })),
  inMerkle('suite', 'Another proof algorithm.', m => Object.assign(m, { proofAlgorithm: 'PLAIN-CONCAT' })),
  inMerkle('evidence-type', 'Another kind of evidence.', m => Object.assign(m, { evidenceType: 'FILE_NAME' })),
  inMerkle(
    'evidence-hash',
    'The path of another manifest.',
    m => Object.assign(m, { evidenceHash: other }),
    'EVIDENCE_HASH_MISMATCH',
  ),
  inMerkle(
    'leaf-hash',
    'A leaf that is not the hash of the manifest.',
    m => Object.assign(m, { leafHash: otherHex }),
    'LEAF_HASH_MISMATCH',
  ),
  inMerkle(
    'leaf-without-prefix',
    'The leaf is the manifest hash itself.',
    m => Object.assign(m, { leafHash: m.evidenceHash.slice(7) }),
    'LEAF_HASH_MISMATCH',
  ),
  inMerkle(
    'leaf-over-text',
    'The leaf was hashed over the text of the hash.',
    m => Object.assign(m, { leafHash: toHex(hashLeaf(toUtf8(m.evidenceHash))) }),
    'LEAF_HASH_MISMATCH',
  ),
  inMerkle('side-flipped', 'A sibling on the other side.', m => Object.assign(m.proofPath[0], { position: 'LEFT' })),
  inMerkle('sides-of-other-index', 'The sides of another leaf.', m => Object.assign(m, { leafIndex: 3 })),
  inMerkle('index-outside', 'A leaf outside the tree.', m => Object.assign(m, { leafIndex: 7 })),
  inMerkle('tree-larger', 'A larger tree than the path can belong to.', m => Object.assign(m, { treeSize: 9 })),
  inMerkle('tree-smaller', 'A smaller tree than the path can belong to.', m => Object.assign(m, { treeSize: 4 })),
  inMerkle('tree-of-one', 'A tree of one leaf, with a path.', m => Object.assign(m, { leafIndex: 0, treeSize: 1 })),
  inMerkle('path-shorter', 'A step of the path is missing.', m => m.proofPath.pop()),
  inMerkle('path-longer', 'The path has a step too many.', m => m.proofPath.push({ position: 'LEFT', hash: otherHex })),
  inMerkle('path-empty', 'An empty path.', m => Object.assign(m, { proofPath: [] })),
  inMerkle(
    'sibling-changed',
    'A sibling was replaced.',
    m => Object.assign(m.proofPath[1], { hash: otherHex }),
    'MERKLE_ROOT_MISMATCH',
  ),
  inMerkle(
    'siblings-swapped',
    'Two siblings changed places.',
    m => {
      const [a, b] = m.proofPath;
      [a.hash, b.hash] = [b.hash, a.hash];
    },
    'MERKLE_ROOT_MISMATCH',
  ),
  inMerkle('root-changed', 'Another root.', m => Object.assign(m, { merkleRoot: otherHex }), 'MERKLE_ROOT_MISMATCH'),
];

/** y = 2 belongs to no x. */
const noPoint = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 2 : 0));
const noPointKey = toVerifierKey({ name: 'ledger.example/recordproof', publicKey: noPoint });

const inReceipt = (name: string, why: string, change: (r: Loose) => unknown): Case =>
  invalid(
    `receipt-${name}`,
    why,
    changed(entries, 'blockchain-receipt.json', change),
    'chain.receipt',
    'RECEIPT_MISMATCH',
  );

const receipts: Case[] = [
  inReceipt('schema', 'Another schema version.', r => Object.assign(r, { schemaVersion: 'x' })),
  inReceipt('record', 'The receipt of another record.', r => Object.assign(r, { chainRecordId: otherHex })),
  inReceipt('batch', 'The receipt of another batch.', r => Object.assign(r, { batchNo: 'MB-18' })),
  inReceipt('root', 'The receipt of another root.', r => Object.assign(r, { batchChainRoot: otherHex })),
  inReceipt('chain-id', 'A ledger under an id that is not its own.', r =>
    Object.assign(r.contract, { chainId: '0000000000000000' }),
  ),
  inReceipt('address', 'A ledger at an address that is not its own.', r =>
    Object.assign(r.contract, { contractAddress: `0x${'0'.repeat(40)}` }),
  ),
  inReceipt('ledger-key', 'A ledger key that cannot be read.', r => Object.assign(r.contract, { ledgerKey: 'x' })),
  inReceipt('ledger-key-no-point', 'A ledger key that is no point of the curve.', r =>
    Object.assign(r.contract, { ...ledgerIdentity(noPoint), ledgerKey: noPointKey }),
  ),
  inReceipt('chain-type', 'A ledger key on another kind of chain.', r =>
    Object.assign(r.contract, { chainType: 'EVM' }),
  ),
];

/** The manifest, path and receipt of different batches, each sound in itself. */
const mixed: Case[] = [
  invalid(
    'mixed-merkle-of-encrypted',
    'The Merkle proof of another file, listed and signed.',
    mixedMerkle(),
    'merkle.path',
    'EVIDENCE_HASH_MISMATCH',
  ),
];

async function mixedMerkle(): Promise<Uint8Array> {
  return zip(await resigned(withEntry(entries, 'merkle-proof.json', encryptedProof['merkle-proof.json'])));
}

export const anchoringCases: readonly Case[] = [...merkle, ...receipts, ...mixed];
