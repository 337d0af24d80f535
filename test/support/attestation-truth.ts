// Consistency check of attestation, against itself and the chain: every candidate is in one batch at most, every path
// leads to its root, every anchored root is on the ledger once, every proof covers all of that.
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { buildMerkleBatch } from '@recordproof/shared/evidence/merkle-batch.ts';
import type { Selectable } from 'kysely';
import { expect } from 'vitest';
import { toBatchNo } from '../../server/src/features/attestation/index.ts';
import type { ChainPort } from '../../server/src/features/chain/index.ts';
import type { Db, Tables } from '../../server/src/platform/db/tables.ts';
import { Findings } from '../../verifier/src/audit/audit-report.ts';
import { ProofJudge } from '../../verifier/src/audit/judge-proofs.ts';
import { readEntries } from './ledger-entries.ts';

type ProofRow = Selectable<Tables['proof']>;

export type AttestationCounts = { readonly candidates: number; readonly batches: number; readonly proofs: number };

/** Call when no work is pending. */
export async function checkAttestation(db: Db, chain: Pick<ChainPort, 'findRoot'>): Promise<AttestationCounts> {
  const candidates = await db.selectFrom('attestation_candidate').selectAll().execute();
  const batches = await db.selectFrom('attestation_batch').selectAll().execute();
  const leaves = await db.selectFrom('attestation_leaf').selectAll().orderBy('leaf_index').execute();
  const proofs = await db.selectFrom('proof').selectAll().execute();
  const batched = candidates.filter(({ status }) => status === 'BATCHED');
  expect(leaves.map(leaf => leaf.file_id).toSorted()).toEqual(batched.map(row => row.file_id).toSorted());
  for (const batch of batches) {
    const own = leaves.filter(leaf => leaf.batch_id === batch.id);
    const members = batched.filter(row => row.batch_id === batch.id);
    expect(own.map(leaf => leaf.file_id).toSorted(), `leaves of ${batch.id}`).toEqual(
      members.map(row => row.file_id).toSorted(),
    );
    const tree = buildMerkleBatch(
      members.map(row => ({ manifestHash: row.manifest_hash, fileId: String(row.file_id) })),
    );
    expect(batch, `batch ${batch.id}`).toMatchObject({ merkle_root: toHex(tree.root), tree_size: own.length });
    expect(own.map(leaf => leaf.proof_path)).toEqual(own.map((_, index) => Buffer.concat(tree.pathOf(index))));
    for (const leaf of own) expect(leaf.leaf_hash).toEqual(Buffer.from(tree.leafHashOf(leaf.leaf_index)));
    const found = await chain.findRoot(toBatchNo(batch.id));
    if (batch.status !== 'COMPLETED') continue;
    expect(found, `root of batch ${batch.id}`).toEqual({
      batchNo: toBatchNo(batch.id),
      merkleRoot: batch.merkle_root,
      transactionHash: batch.transaction_hash,
      blockNumber: batch.block_number,
    });
  }
  const issued = await db.selectFrom('file').select('id').where('proof_status', '=', 'ISSUED').execute();
  expect(proofs.map(proof => proof.file_id).toSorted()).toEqual(issued.map(({ id }) => id).toSorted());
  await checkEntries(db, proofs);
  return { candidates: candidates.length, batches: batches.length, proofs: proofs.length };
}

/** Each proof is on the ledger once, with its status where that has changed, and there are no other entries. */
async function checkEntries(db: Db, proofs: readonly ProofRow[]): Promise<void> {
  const rows = await readEntries(db);
  const findings = new Findings();
  const statuses = new ProofJudge(
    findings,
    proofs.map(({ proof_id }) => proof_id),
  );
  const entries = rows.map(({ entry }) => parseLedgerEntry(Buffer.from(entry)));
  for (const [position, entry] of entries.entries()) statuses.add(entry, position);
  expect(findings.list).toEqual([]);
  const issued = entries.filter(({ kind }) => kind === 'PROOF_ISSUED');
  expect(issued, 'issued proofs on the ledger').toHaveLength(proofs.length);
  for (const { proof_id, status, status_version, manifest_sha256 } of proofs)
    expect(statuses.statusOf(proof_id), `proof ${proof_id} on the ledger`).toMatchObject({
      status,
      statusVersion: status_version,
      manifestSha256: `sha256:${manifest_sha256}`,
    });
}
