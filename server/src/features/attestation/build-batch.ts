// Building a Merkle batch from waiting candidates: claim them under a lease, check the evidence of each, build the
// tree, and write batch and leaves only if the claim still holds. After a crash the claim expires.

import { setImmediate as othersTurn } from 'node:timers/promises';
import { parseChunkManifest } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { buildMerkleBatch } from '@recordproof/shared/evidence/merkle-batch.ts';
import { localCall } from '../../platform/call.ts';
import { Lease } from '../../platform/db/lease.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { newTokenId, toWireId } from '../../platform/ids.ts';
import { appendAudit, recordAudit } from '../audit/index.ts';
import { findProofSuite } from '../crypto-policy/index.ts';
import { setProofStatus } from '../files/index.ts';
import { listActiveManifestJson } from '../manifests/index.ts';
import { insertBatch, type NewLeaf } from './batch-queries.ts';
import {
  areReady,
  batchClaimed,
  type CandidateRow,
  claimCandidates,
  failCandidate,
  releaseClaim,
} from './candidate-queries.ts';
import type { Attesting } from './metrics.ts';

const retryPauseSeconds = 30;

type Built = {
  readonly claimed: number;
  readonly deadLettered: number;
  readonly batchId: Key | null;
};

/** A batch is due when enough candidates wait, when one has waited long enough, or when forced. */
export type RunInput = { readonly tenantId: Key; readonly force: boolean };

/** Another server has the candidates; nothing of this build was written. */
class ClaimLost extends Error {}

/** Returns null when nothing is due; `deferred` when candidates wait all the same. */
export async function buildBatch(server: Attesting, input: RunInput): Promise<Built | 'deferred' | null> {
  if (!(await areReady(server.database.db, input.tenantId, 1, server.clock.now()))) return null;
  const proofSuite = await findProofSuite(server, input.tenantId);
  if (proofSuite === null) return 'deferred';
  const claim = newTokenId();
  const candidates = await claimDue(server, input, claim);
  if (candidates === null || candidates.length === 0) return candidates === null ? 'deferred' : null;
  using _lease = lockCandidates(server, claim, candidates);
  try {
    return await build(server, { tenantId: input.tenantId, proofSuite }, claim, candidates);
  } catch (error) {
    await releaseClaim(server.database.db, claim, server.clock.now());
    if (error instanceof ClaimLost) return { claimed: candidates.length, deadLettered: 0, batchId: null };
    throw error;
  }
}

function lockCandidates(
  { database, clock, config }: Attesting,
  token: string,
  candidates: readonly CandidateRow[],
): Lease {
  const leaseMs = config.attestation.claimLeaseSeconds * 1000;
  const claim = { token, ids: candidates.map(({ id }) => id) };
  return new Lease(
    { db: database.db, engine: database.kind, clock, leaseMs },
    { table: 'attestation_candidate', claim },
  );
}

/** Returns null when candidates wait but are not due. The threshold is checked again under the claim. */
async function claimDue(
  { database, clock, config }: Attesting,
  { tenantId, force }: RunInput,
  claim: string,
): Promise<CandidateRow[] | null> {
  const now = clock.now();
  const until = now + config.attestation.claimLeaseSeconds * 1000;
  const isDue = (rows: readonly CandidateRow[]): boolean =>
    force ||
    rows.length >= config.attestation.minBatchSize ||
    rows.some(row => row.admitted_at <= now - config.attestation.maxWaitSeconds * 1000);
  const early = Symbol('early');
  try {
    return await database.db.transaction().execute(async tx => {
      const claimRequest = { tenantId, token: claim, limit: config.attestation.maxBatchSize, now, until };
      const rows = await claimCandidates(tx, database.kind, claimRequest);
      if (rows.length > 0 && !isDue(rows)) throw early;
      return rows;
    });
  } catch (error) {
    if (error === early) return null;
    throw error;
  }
}

type Checked = { readonly sound: CandidateRow[]; readonly failed: { row: CandidateRow; error: string }[] };

/** Manifests may be large, so few are in memory at once. */
const manifestsAtOnce = 16;

async function checkEvidence(db: Db, tenantId: Key, candidates: readonly CandidateRow[]): Promise<Checked> {
  const checked: Checked = { sound: [], failed: [] };
  for (let from = 0; from < candidates.length; from += manifestsAtOnce) {
    const some = candidates.slice(from, from + manifestsAtOnce);
    const manifests = await listActiveManifestJson(
      db,
      tenantId,
      some.map(row => row.file_id),
    );
    for (const row of some) {
      await othersTurn(); // yields to other work: reading a large manifest takes a while, and there may be many
      const error = findFault(row, manifests.get(row.file_id));
      if (error === null) checked.sound.push(row);
      else checked.failed.push({ row, error });
    }
  }
  return checked;
}

/** Returns null if the manifest exists, matches its hash, and is the admitted one. */
function findFault(row: CandidateRow, json: string | undefined): string | null {
  if (json === undefined) return 'the file has no active manifest';
  try {
    const { manifestHash } = parseChunkManifest(toUtf8(json));
    return manifestHash === row.manifest_hash ? null : 'the active manifest differs from the admitted one';
  } catch {
    return 'the active manifest is damaged';
  }
}

async function build(
  server: Attesting,
  { tenantId, proofSuite }: { readonly tenantId: Key; readonly proofSuite: string },
  claim: string,
  candidates: readonly CandidateRow[],
): Promise<Built> {
  const { database, clock, config, attestationMetrics: metrics } = server;
  const { sound, failed } = await checkEvidence(database.db, tenantId, candidates);
  const { merkleRoot, leaves } = toLeaves(sound);
  const now = clock.now();
  const dead = failed.filter(({ row }) => row.attempts >= config.attestation.candidateMaxAttempts);
  const batchId = await database.db.transaction().execute(async tx => {
    for (const { row, error } of failed) {
      const isDead = dead.some(one => one.row === row);
      const dueAt = now + row.attempts * retryPauseSeconds * 1000;
      await failCandidate(tx, row, { status: isDead ? 'DEAD_LETTER' : 'READY', dueAt, error });
    }
    await failProofs(
      tx,
      tenantId,
      dead.map(({ row }) => row.file_id),
      now,
    );
    if (leaves.length === 0) return null;
    const id = await insertBatch(tx, database.kind, { tenantId, proofSuite, merkleRoot, leaves }, now);
    if ((await batchClaimed(tx, claim, id)) !== leaves.length) throw new ClaimLost();
    const description = `batch of ${leaves.length} files created`;
    const param = { batchId: id, merkleRoot, leaves: leaves.length };
    await recordAudit(tx, callOf(tenantId, now), now, 'attestation.create-batch', description, param);
    return id;
  });
  metrics.candidates('dead_letter', dead.length);
  if (batchId !== null) {
    metrics.candidates('batched', sound.length);
    metrics.batchCreated(sound.map(row => (now - row.admitted_at) / 1000));
  }
  return { claimed: candidates.length, deadLettered: dead.length, batchId };
}

const callOf = (tenantId: Key, now: number) => localCall('attestation', tenantId, now);

/** Dead letters: these files get no proof automatically. The file's status and the audit log say so. */
export async function failProofs(tx: Tx, tenantId: Key, fileIds: readonly Key[], now: number): Promise<void> {
  if (fileIds.length === 0) return;
  await setProofStatus(tx, tenantId, fileIds, 'NONE');
  const entry = {
    module: 'attestation',
    operation: 'dead-letter',
    description: `${fileIds.length} files cannot be attested`,
    param: { fileIds: fileIds.slice(0, 100) },
    errorMessage: 'too many failed attempts',
  };
  await appendAudit(tx, callOf(tenantId, now), entry, now);
}

function toLeaves(rows: readonly CandidateRow[]): { merkleRoot: string; leaves: NewLeaf[] } {
  if (rows.length === 0) return { merkleRoot: '', leaves: [] };
  const candidates = rows.map(row => ({ manifestHash: row.manifest_hash, fileId: toWireId(row.file_id), row }));
  const batch = buildMerkleBatch(candidates);
  const leaves = batch.ordered.map(({ row }, index) => ({
    file_id: row.file_id,
    file_version: row.file_version,
    leaf_index: index,
    manifest_hash: row.manifest_hash,
    leaf_hash: Buffer.from(batch.leafHashOf(index)),
    proof_path: Buffer.concat(batch.pathOf(index)),
  }));
  return { merkleRoot: toHex(batch.root), leaves };
}
