// Complete, consistent proofs in memory for tests: content → chunk manifest → Merkle batch → signed entries.

import { ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { buildChunkManifest, type ChunkManifest, plannedSize } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { type ContentSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { digestOf, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import type { ProofEntries } from '@recordproof/shared/evidence/proof-archive.ts';
import { buildProofEntries, leafOf, type ProofEvidence } from '@recordproof/shared/evidence/proof-builder.ts';
import { toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { type TestKey, testKey } from './ed25519.ts';

export const issuerKey = testKey('issuer');
export const issuerIdentity = { keyId: 'issuer-main', keyVersion: 3 };
export const ledgerKey = testKey('ledger');
export const ledgerName = 'ledger.example/recordproof';

export type ProofPlan = {
  content: Uint8Array;
  chunkSize: number;
  suite?: ContentSuite;
  leafIndex?: number;
  treeSize?: number;
  key?: TestKey;
};

export function manifestOf(plan: ProofPlan): ChunkManifest {
  const suite = plan.suite ?? plainSuite;
  const count = Math.ceil(plan.content.length / plan.chunkSize);
  const shape = { chunkSize: plan.chunkSize, totalSize: plan.content.length };
  const chunks = Array.from({ length: count }, (_, index) => {
    const start = index * plan.chunkSize;
    const plainHash = digestOf(plan.content.subarray(start, start + plannedSize(shape, index)));
    const cipherHash = suite === plainSuite ? plainHash : digestOf(toUtf8(`stored form of chunk ${index}`));
    return { index, plainHash, cipherHash, storagePath: `t1/objects/${cipherHash.slice(7)}` };
  });
  const fileHash = digestOf(toUtf8('chain record 42')).slice(7);
  return buildChunkManifest({ ...shape, fileHash, storageBackend: 'DISK', encryptionAlgorithm: suite, chunks });
}

export function evidenceOf(plan: ProofPlan): ProofEvidence {
  const chunkManifest = manifestOf(plan);
  const { leafIndex = 2, treeSize = 7 } = plan;
  const others = Array.from({ length: treeSize }, (_, i) => hashLeaf(toUtf8(`another manifest ${i}`)));
  const tree = buildMerkleTree(others.with(leafIndex, leafOf(chunkManifest.manifestHash)));
  const transaction = (name: string) => `0x${digestOf(toUtf8(name)).slice(7)}`;
  return {
    tenantId: '1',
    fileId: '42',
    fileVersion: 1,
    leafId: '1007',
    issuedAt: '2026-01-31T12:00:00.000Z',
    contentHash: digestOf(plan.content),
    chunkManifest,
    merkle: { root: tree.root, leafIndex, treeSize, path: tree.pathOf(leafIndex) },
    receipt: {
      fileTransactionHash: transaction('file record entry'),
      batchTransactionHash: transaction('batch root entry'),
      batchNo: 'MB-17',
      blockNumber: 4711,
      confirmationSource: 'CHAIN_WRITE',
      contract: {
        ...ledgerIdentity(ledgerKey.publicKey),
        ledgerKey: toVerifierKey({ name: ledgerName, publicKey: ledgerKey.publicKey }),
      },
    },
  };
}

export function proofOf(plan: ProofPlan): Promise<ProofEntries> {
  const key = plan.key ?? issuerKey;
  return buildProofEntries(evidenceOf(plan), {
    ...issuerIdentity,
    publicKeyFingerprint: key.fingerprint,
    sign: key.sign,
  });
}

/** Bytes that are derived from the length alone. */
export const someContent = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8) * 7) & 0xff);
