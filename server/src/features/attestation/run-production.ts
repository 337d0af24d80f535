// One bounded production run for one tenant: take up what was missed, recover what was left, build what is due, and move
// open batches on. Many may run at once, on any server; each thing is done by one.
import type { AttestationRun } from '@recordproof/shared/api/attestation.ts';
import type { Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { seedCandidates } from './admit.ts';
import { type Anchoring, anchorBatch } from './anchor-batch.ts';
import { listDue } from './batch-queries.ts';
import { buildBatch, giveUpProofs } from './build-batch.ts';
import { recoverClaims } from './candidate-queries.ts';
import type { AttestationPorts } from './ports.ts';

export type RunWish = { readonly tenantId: Key; readonly force: boolean };

const isAtWork = (signal: AbortSignal | undefined): boolean => signal?.aborted !== true;

const nothing = (enabled: boolean, force: boolean): AttestationRun => ({
  enabled,
  force,
  candidatesAdmitted: 0,
  candidatesClaimed: 0,
  candidatesDeadLettered: 0,
  batchesRecovered: 0,
  batchesCreated: 0,
  batchesCompleted: 0,
  batchesRetrying: 0,
  batchesManualReview: 0,
  thresholdDeferred: false,
  batchIds: [],
});

/** While the feature is off nothing is read or written. */
export async function runProduction(
  ports: AttestationPorts,
  wish: RunWish,
  signal?: AbortSignal,
): Promise<AttestationRun> {
  if (!ports.limits.enabled) {
    ports.metrics.runEnded('disabled');
    return nothing(false, wish.force);
  }
  try {
    const result = await run(ports, wish, signal);
    ports.metrics.runEnded('completed');
    return result;
  } catch (error) {
    ports.metrics.runEnded('failed');
    throw error;
  }
}

async function run(ports: AttestationPorts, wish: RunWish, signal: AbortSignal | undefined): Promise<AttestationRun> {
  const result = nothing(true, wish.force);
  result.candidatesAdmitted = await seedCandidates(ports, wish.tenantId);
  result.candidatesDeadLettered = await recover(ports, wish.tenantId);
  const created = await buildBatches(ports, wish, result, signal);
  const moved = await anchorBatches(ports, wish, result, signal);
  result.batchIds = [...new Set([...created, ...moved])].map(toWireId);
  return result;
}

async function recover({ database, clock, limits, metrics }: AttestationPorts, tenantId: Key): Promise<number> {
  const now = clock.now();
  const dead = await database.db.transaction().execute(async tx => {
    const recovered = await recoverClaims(tx, tenantId, { now, maxAttempts: limits.candidateMaxAttempts });
    await giveUpProofs(tx, tenantId, recovered.dead, now);
    return recovered.dead.length;
  });
  metrics.candidates('dead_letter', dead);
  return dead;
}

async function buildBatches(
  ports: AttestationPorts,
  wish: RunWish,
  result: AttestationRun,
  signal: AbortSignal | undefined,
): Promise<Key[]> {
  const created: Key[] = [];
  while (created.length < ports.limits.maxBatchesPerRun && isAtWork(signal)) {
    const built = await buildBatch(ports, wish);
    if (built === 'deferred') result.thresholdDeferred = true;
    if (built === null || built === 'deferred') break;
    result.candidatesClaimed += built.claimed;
    result.candidatesDeadLettered += built.deadLettered;
    if (built.batchId === null) break;
    created.push(built.batchId);
    result.batchesCreated += 1;
  }
  return created;
}

const counters = {
  COMPLETED: 'batchesCompleted',
  CHAIN_RETRY: 'batchesRetrying',
  MANUAL_REVIEW: 'batchesManualReview',
} as const satisfies Record<Anchoring['status'], keyof AttestationRun>;

async function anchorBatches(
  ports: AttestationPorts,
  { tenantId, force }: RunWish,
  result: AttestationRun,
  signal: AbortSignal | undefined,
): Promise<Key[]> {
  const { database, clock } = ports;
  const moved: Key[] = [];
  // A person who forces a run has looked: batches that ran out of attempts get one more.
  const due = await listDue(database.db, { tenantId, now: clock.now(), exhausted: force });
  for (const batch of due) {
    if (!isAtWork(signal)) break;
    const anchoring = await anchorBatch(ports, batch);
    if (anchoring === null) continue;
    moved.push(anchoring.batchId);
    if (anchoring.recovered) result.batchesRecovered += 1;
    result[counters[anchoring.status]] += 1;
  }
  return moved;
}
