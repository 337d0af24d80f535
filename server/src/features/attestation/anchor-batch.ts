// Anchoring the root of a batch on the chain, once: the chain is queried before each write and after an uncertain one,
// and a conflicting root is left to an operator. The lease is renewed while the chain is slow.
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { localCall } from '../../platform/call.ts';
import { Lease } from '../../platform/db/lease.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { appendAudit } from '../audit/index.ts';
import { ChainError, type RecordedRoot } from '../chain/index.ts';
import { runJobKind } from './admit-candidates.ts';
import { type BatchEnd, type BatchRow, claimBatch, endSubmission, toBatchNo } from './batch-queries.ts';
import type { Attesting } from './metrics.ts';

/** The pause after each failed attempt; after the attempt that follows the last pause an operator has to act. */
export const retryPauseSeconds = [5, 30, 120, 600, 3600] as const;

export const batchCompleted = 'attestation.batch-completed';

export type Anchoring = { readonly batchId: Key; readonly recovered: boolean; readonly status: BatchEnd['status'] };

/** Returns null if another server has claimed the batch. */
export async function anchorBatch(server: Attesting, row: BatchRow): Promise<Anchoring | null> {
  const { database, clock, config, attestationMetrics: metrics, log } = server;
  const leaseMs = config.attestation.claimLeaseSeconds * 1000;
  const now = clock.now();
  const batch = await claimBatch(database.db, database.kind, row, { now, until: now + leaseMs });
  if (batch === null) return null;
  const end = await submitUnderLease(server, batch, { leaseMs, isExtra: row.review_reason !== null });
  const isOurs = await writeEnd(server, batch, end);
  if (!isOurs) {
    log.warn({ batch: batch.id }, 'another server took over a batch while its root was being submitted');
    return null;
  }
  metrics.batchMoved(
    end.status === 'COMPLETED' ? 'completed' : end.status === 'CHAIN_RETRY' ? 'retry' : 'manual_review',
  );
  return { batchId: batch.id, recovered: row.status === 'CHAIN_SUBMITTING', status: end.status };
}

type Submission = { readonly leaseMs: number; readonly isExtra: boolean };

/** The lease ends before the outcome is written, because the outcome itself sets when the batch is due again. */
async function submitUnderLease(
  server: Attesting,
  batch: BatchRow,
  { leaseMs, isExtra }: Submission,
): Promise<BatchEnd> {
  const { database, clock } = server;
  const { db, kind: engine } = database;
  using _lease = new Lease({ db, engine, clock, leaseMs }, { table: 'attestation_batch', claim: batch });
  return await submit(server, batch, isExtra);
}

type AnchoredRoot = {
  readonly root: RecordedRoot;
  readonly source: 'CHAIN_WRITE' | 'CHAIN_QUERY_BEFORE_WRITE' | 'CHAIN_QUERY_AFTER_WRITE';
};

async function submit(server: Attesting, batch: BatchRow, isExtra: boolean): Promise<BatchEnd> {
  try {
    const found = await anchorRoot(server, batch);
    if (found.root.merkleRoot !== batch.merkle_root || found.root.batchNo !== toBatchNo(batch.id)) {
      const error = `the chain holds the root ${found.root.merkleRoot} for this batch`;
      server.log.error({ batch: batch.id }, 'the chain has a different root for a batch');
      return {
        status: 'MANUAL_REVIEW',
        review_reason: 'DIFFERENT_ROOT',
        due_at: server.clock.now(),
        attempts: batch.attempts,
        last_error: error,
      };
    }
    return await toCompleted(server, found);
  } catch (error) {
    server.log.warn({ batch: batch.id, error: toErrorText(error) }, 'the root of a batch is not on the chain yet');
    return toRetry(server, batch, error, isExtra);
  }
}

async function anchorRoot({ chain }: Attesting, batch: BatchRow): Promise<AnchoredRoot> {
  const batchNo = toBatchNo(batch.id);
  const before = await chain.findRoot(batchNo);
  if (before !== null) return { root: before, source: 'CHAIN_QUERY_BEFORE_WRITE' };
  try {
    const request = { batchNo, merkleRoot: batch.merkle_root, treeSize: batch.tree_size };
    return { root: await chain.submitRoot(request), source: 'CHAIN_WRITE' };
  } catch (error) {
    if (error instanceof ChainError && error.failure === 'REFUSED') throw error;
    const after = await chain.findRoot(batchNo);
    if (after === null) throw error;
    return { root: after, source: 'CHAIN_QUERY_AFTER_WRITE' };
  }
}

async function toCompleted({ chain, clock }: Attesting, { root, source }: AnchoredRoot): Promise<BatchEnd> {
  const identity: ChainIdentity & { readonly ledgerKey?: string } = await chain.identity();
  const { chainType, chainId, groupId, contractAddress, ledgerKey } = identity;
  return {
    status: 'COMPLETED',
    completed_at: clock.now(),
    transaction_hash: root.transactionHash,
    block_number: root.blockNumber,
    confirmation_source: source,
    chain_type: chainType,
    chain_id: chainId,
    group_id: groupId,
    contract_address: contractAddress,
    ledger_key: ledgerKey ?? null,
  };
}

function toRetry({ clock }: Attesting, batch: BatchRow, error: unknown, isExtra: boolean): BatchEnd {
  const pause = retryPauseSeconds[batch.attempts];
  const attempts = isExtra ? batch.attempts : batch.attempts + 1;
  const last_error = toErrorText(error);
  if (isExtra || pause === undefined)
    return { status: 'MANUAL_REVIEW', review_reason: 'ATTEMPTS_USED_UP', due_at: clock.now(), attempts, last_error };
  return { status: 'CHAIN_RETRY', due_at: clock.now() + pause * 1000, attempts, last_error };
}

async function writeEnd({ database, clock }: Attesting, batch: BatchRow, end: BatchEnd): Promise<boolean> {
  const now = clock.now();
  return database.db.transaction().execute(async tx => {
    if (!(await endSubmission(tx, batch, end))) return false;
    await notifyOwners(tx, batch, end, now);
    return true;
  });
}

async function notifyOwners(tx: Tx, batch: BatchRow, end: BatchEnd, now: number): Promise<void> {
  const tenantId = batch.tenant_id;
  if (end.status === 'CHAIN_RETRY') {
    const uniqueKey = `retry:${batch.id}`;
    return enqueue(tx, { kind: runJobKind, payload: { tenantId }, uniqueKey, runAt: end.due_at }, now);
  }
  const isDone = end.status === 'COMPLETED';
  const entry = {
    module: 'attestation',
    operation: isDone ? 'complete-batch' : 'review-batch',
    description: isDone ? `batch ${toBatchNo(batch.id)} anchored` : `batch ${toBatchNo(batch.id)} needs a person`,
    param: {
      batchId: batch.id,
      ...(isDone && { transactionHash: end.transaction_hash, source: end.confirmation_source }),
    },
    ...(!isDone && { errorMessage: end.last_error }),
  };
  await appendAudit(tx, localCall('attestation', tenantId, now), entry, now);
  if (isDone)
    await emit(tx, { type: batchCompleted, tenantId, payload: { batchId: batch.id }, isCoalesced: true }, now);
}
