// From waiting candidates to a Merkle batch: claim under a lease, check the evidence of each, build the tree, and write
// batch and leaves only if the claim still holds. Whatever is cut off leaves a claim that runs out.
import { createHash, hash } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { parseChunkManifest } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { type Sha256, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { buildMerkleBatch } from '@recordproof/shared/evidence/merkle-batch.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { newTokenId, toWireId } from '../../platform/ids.ts';
import { appendAudit, localOrigin } from '../audit/index.ts';
import { setProofStatus } from '../files/index.ts';
import { findActiveManifestJson } from '../manifests/index.ts';
import { insertBatch, type NewLeaf } from './batch-queries.ts';
import {
  areReady,
  batchClaimed,
  type CandidateRow,
  claimCandidates,
  failCandidate,
  releaseClaim,
} from './candidate-queries.ts';
import type { AttestationPorts } from './ports.ts';

const sha256: Sha256 = bytes => hash('sha256', bytes, 'buffer');
const streamedSha256: Sha256 = bytes => createHash('sha256').update(bytes).digest();
const retryPauseSeconds = 30;

export type Built = {
  readonly claimed: number;
  readonly deadLettered: number;
  readonly batchId: Key | null;
};

/** Enough wait, or some have waited long enough, or it is forced. */
type Wish = { readonly tenantId: Key; readonly force: boolean };

/** What was claimed meanwhile belongs to another server; nothing of this build was written. */
class ClaimLost extends Error {}

/** Null when nothing is due; `deferred` when something waits all the same. */
export async function buildBatch(ports: AttestationPorts, wish: Wish): Promise<Built | 'deferred' | null> {
  const claim = newTokenId();
  const candidates = await claimDue(ports, wish, claim);
  if (candidates === null || candidates.length === 0) return candidates === null ? 'deferred' : null;
  try {
    return await build(ports, wish.tenantId, claim, candidates);
  } catch (error) {
    await releaseClaim(ports.database.db, claim, ports.clock.now());
    if (error instanceof ClaimLost) return { claimed: candidates.length, deadLettered: 0, batchId: null };
    throw error;
  }
}

/** Null when something waits but is not due. The threshold is looked at again under the claim itself. */
async function claimDue(
  { database, clock, limits }: AttestationPorts,
  { tenantId, force }: Wish,
  claim: string,
): Promise<CandidateRow[] | null> {
  const now = clock.now();
  const until = now + limits.claimLeaseSeconds * 1000;
  const isDue = (rows: readonly CandidateRow[]): boolean =>
    force ||
    rows.length >= limits.minBatchSize ||
    rows.some(row => row.admitted_at <= now - limits.maxWaitSeconds * 1000);
  if (!(await areReady(database.db, tenantId, 1, now))) return [];
  const early = Symbol('early');
  try {
    return await database.db.transaction().execute(async tx => {
      const wanted = { tenantId, claim, limit: limits.maxBatchSize, now, until };
      const rows = await claimCandidates(tx, database.kind, wanted);
      if (rows.length > 0 && !isDue(rows)) throw early;
      return rows;
    });
  } catch (error) {
    if (error === early) return null;
    throw error;
  }
}

type Checked = { readonly sound: CandidateRow[]; readonly failed: { row: CandidateRow; error: string }[] };

async function checkEvidence(db: Db, candidates: readonly CandidateRow[]): Promise<Checked> {
  const checked: Checked = { sound: [], failed: [] };
  for (const row of candidates) {
    await othersTurn(); // a large manifest takes a while to be read, and there may be many
    const error = await findFault(db, row);
    if (error === null) checked.sound.push(row);
    else checked.failed.push({ row, error });
  }
  return checked;
}

/** Null when the manifest is there, is what it says it is, and is the one that was let in. */
async function findFault(db: Db, row: CandidateRow): Promise<string | null> {
  const json = await findActiveManifestJson(db, row.tenant_id, row.file_id);
  if (json === null) return 'the file has no active manifest';
  try {
    const { manifestHash } = parseChunkManifest(toUtf8(json), streamedSha256);
    return manifestHash === row.manifest_hash ? null : 'the active manifest is another one than was let in';
  } catch {
    return 'the active manifest is damaged';
  }
}

async function build(
  ports: AttestationPorts,
  tenantId: Key,
  claim: string,
  candidates: readonly CandidateRow[],
): Promise<Built> {
  const { database, clock, limits, metrics } = ports;
  const { sound, failed } = await checkEvidence(database.db, candidates);
  const { merkleRoot, leaves } = toLeaves(sound);
  const now = clock.now();
  const dead = failed.filter(({ row }) => row.attempts >= limits.candidateMaxAttempts);
  const batchId = await database.db.transaction().execute(async tx => {
    for (const { row, error } of failed) {
      const isDead = dead.some(one => one.row === row);
      const dueAt = now + row.attempts * retryPauseSeconds * 1000;
      await failCandidate(tx, row, { status: isDead ? 'DEAD_LETTER' : 'READY', dueAt, error });
    }
    await giveUpProofs(
      tx,
      tenantId,
      dead.map(({ row }) => row.file_id),
      now,
    );
    if (leaves.length === 0) return null;
    const id = await insertBatch(tx, database.kind, { tenantId, merkleRoot, leaves }, now);
    if ((await batchClaimed(tx, claim, id)) !== leaves.length) throw new ClaimLost();
    await appendAudit(tx, createdEntry(tenantId, id, merkleRoot, leaves.length, now), now);
    return id;
  });
  metrics.candidates('dead_letter', dead.length);
  if (batchId !== null) {
    metrics.candidates('batched', sound.length);
    metrics.batchCreated(sound.map(row => (now - row.admitted_at) / 1000));
  }
  return { claimed: candidates.length, deadLettered: dead.length, batchId };
}

const createdEntry = (tenantId: Key, batchId: Key, merkleRoot: string, leaves: number, now: number) => ({
  tenantId,
  who: null,
  module: 'attestation',
  operation: 'create-batch',
  description: `batch of ${leaves} files created`,
  param: { batchId, merkleRoot, leaves },
  origin: localOrigin('attestation', now),
});

/** Dead letters: no proof will come by itself, which the file says and the audit log explains. */
export async function giveUpProofs(tx: Tx, tenantId: Key, fileIds: readonly Key[], now: number): Promise<void> {
  if (fileIds.length === 0) return;
  await setProofStatus(tx, tenantId, fileIds, 'NONE');
  const entry = {
    tenantId,
    who: null,
    module: 'attestation',
    operation: 'dead-letter',
    description: `${fileIds.length} files cannot be attested`,
    param: { fileIds: fileIds.slice(0, 100) },
    errorMessage: 'too many failed attempts',
    origin: localOrigin('attestation', now),
  };
  await appendAudit(tx, entry, now);
}

function toLeaves(rows: readonly CandidateRow[]): { merkleRoot: string; leaves: NewLeaf[] } {
  if (rows.length === 0) return { merkleRoot: '', leaves: [] };
  const candidates = rows.map(row => ({ manifestHash: row.manifest_hash, fileId: toWireId(row.file_id), row }));
  const batch = buildMerkleBatch(candidates, sha256);
  const leaves = batch.ordered.map(({ row }, index) => ({
    file_id: row.file_id,
    file_version: row.file_version,
    leaf_index: index,
    manifest_hash: row.manifest_hash,
    leaf_hash: toHex(batch.leafHashOf(index)),
    proof_path: batch.pathOf(index).map(toHex).join(''),
  }));
  return { merkleRoot: toHex(batch.root), leaves };
}
