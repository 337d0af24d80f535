// The evidence of a proof, built from the stored rows of one file version. Inconsistent rows are rejected: nothing is
// signed over them, and an earlier proof over them is invalid.

import { createHash, type Hash } from 'node:crypto';
import { parseChunkManifest } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { parseHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  buildUnsignedProof,
  type ProofEvidence,
  type ProofKey,
  type UnsignedProof,
} from '@recordproof/shared/evidence/proof-builder.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { type LeafWithBatch, listLeavesOfFiles, toBatchNo } from '../attestation/index.ts';
import { type FileRow, listFilesById } from '../files/index.ts';
import { listManifestJson } from '../manifests/index.ts';

/** The stored rows contradict each other, or the signed values. */
export class EvidenceMismatch extends Error {}

export type Stored = LeafWithBatch & { readonly file: FileRow | null; readonly manifestJson: string | null };

/** Returns null if there is no leaf, or its batch is not anchored yet. */
export async function findStored(db: Db, tenantId: Key, fileId: Key): Promise<Stored | null> {
  const [stored] = await listStored(db, tenantId, [fileId]);
  return stored ?? null;
}

/** For the files with a leaf in an anchored batch. All their manifests are in memory: pass few files at a time. */
export async function listStored(db: Db, tenantId: Key, fileIds: readonly Key[]): Promise<Stored[]> {
  const all = await listLeavesOfFiles(db, tenantId, fileIds);
  const found = all.filter(({ batch }) => batch.status === 'COMPLETED');
  if (found.length === 0) return [];
  const manifestKeys = found.map(({ leaf }) => ({ fileId: leaf.file_id, manifestHash: leaf.manifest_hash }));
  const files = new Map((await listFilesById(db, tenantId, fileIds)).map(file => [file.id, file]));
  const manifests = await listManifestJson(db, tenantId, manifestKeys);
  return found.map(one => ({
    ...one,
    file: files.get(one.leaf.file_id) ?? null,
    manifestJson: manifests.get(one.leaf.file_id) ?? null,
  }));
}

/** Covers every value in a proof: an equal fingerprint means an equal proof. */
export function fingerprintOf({ file, leaf, batch, manifestJson }: Stored, parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  addJson(hash, [{ ...leaf, ...hexOf(leaf) }, batch, file && { ...file, ...notEvidence }, ...parts]);
  return hash.update(manifestJson ?? '').digest('hex');
}

const hexOf = ({ leaf_hash, proof_path }: LeafWithBatch['leaf']) => ({
  leaf_hash: leaf_hash.toString('hex'),
  proof_path: proof_path.toString('hex'),
});

/** Columns that may change without affecting a proof. */
const notEvidence = {
  ...{ status: 0, is_latest: 0, proof_status: '', deleted_at: null, objects_released_at: null, trash: 0 },
  ...{ path: null, file_name: '', name_folded: '' },
} as const;

const addJson = (hash: Hash, value: unknown): Hash => hash.update(`${JSON.stringify(value)}\n`);

/** `as`: the id of an already signed proof. */
type Issued = { readonly at: Time; readonly as?: string };

/** Throws EvidenceMismatch. */
export function buildStoredProof(stored: Stored, issued: Issued, key: ProofKey): UnsignedProof {
  try {
    return buildUnsignedProof({ ...toEvidence(stored, issued.at), ...(issued.as && { proofId: issued.as }) }, key);
  } catch (cause) {
    if (cause instanceof EvidenceMismatch) throw cause;
    throw new EvidenceMismatch('the stored evidence is malformed', { cause });
  }
}

function need(condition: boolean, what: string): asserts condition {
  if (!condition) throw new EvidenceMismatch(what);
}

function toEvidence({ file, leaf, batch, manifestJson }: Stored, issuedAt: Time): ProofEvidence {
  need(file !== null, `the record of file ${leaf.file_id} is missing`);
  need(manifestJson !== null, `the chunk manifest of file ${leaf.file_id} is missing`);
  const chunkManifest = parseChunkManifest(toUtf8(manifestJson));
  need(chunkManifest.manifestHash === leaf.manifest_hash, 'the manifest is not the one in the batch');
  need(chunkManifest.manifestHash === file.manifest_hash, 'the record names another manifest');
  need(chunkManifest.fileHash === file.file_hash, 'the manifest is that of another record');
  need(chunkManifest.totalSize === file.file_size, 'the record has another size than the manifest');
  need(chunkManifest.encryptionAlgorithm === file.encryption, 'record and manifest differ in their encryption');
  need(leaf.file_version === file.version, 'the batch holds another version');
  const [only] = chunkManifest.chunks.length === 1 ? chunkManifest.chunks : [];
  need(only === undefined || only.plainHash === file.content_hash, 'the content hash is not that of the only chunk');
  const { proof_path: pathBytes } = leaf;
  return {
    tenantId: toWireId(file.tenant_id),
    fileId: toWireId(file.id),
    fileVersion: file.version,
    leafId: toWireId(leaf.id),
    issuedAt: toIso(issuedAt),
    contentHash: file.content_hash,
    chunkManifest,
    merkle: {
      root: parseHex(batch.merkle_root),
      leafIndex: leaf.leaf_index,
      treeSize: batch.tree_size,
      path: Array.from({ length: pathBytes.length / 32 }, (_, at) => pathBytes.subarray(at * 32, at * 32 + 32)),
    },
    receipt: toReceipt(file, batch),
  };
}

function toReceipt(file: FileRow, batch: LeafWithBatch['batch']): ProofEvidence['receipt'] {
  const { chain_type, chain_id, group_id, contract_address, block_number, confirmation_source, ledger_key } = batch;
  need(
    chain_type !== null && chain_id !== null && group_id !== null && contract_address !== null && block_number !== null,
    'the batch has no receipt',
  );
  return {
    ...(file.transaction_hash !== null && { fileTransactionHash: file.transaction_hash }),
    ...(batch.transaction_hash !== null && { batchTransactionHash: batch.transaction_hash }),
    batchNo: toBatchNo(batch.id),
    blockNumber: block_number,
    // The schema of the entry rejects any other value.
    confirmationSource: confirmation_source as ProofEvidence['receipt']['confirmationSource'],
    contract: {
      chainType: chain_type,
      chainId: chain_id,
      groupId: group_id,
      contractAddress: contract_address,
      ...(ledger_key !== null && { ledgerKey: ledger_key }),
    },
  };
}
