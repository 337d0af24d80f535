// One bounded production run for one tenant: admit missed files, release expired claims, build due batches, and advance
// open batches. Several may run at once, on any server; each item is processed by one.
import type { AttestationRun } from '@recordproof/shared/api/attestation.ts';
import type { Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { seedCandidates } from './admit-candidates.ts';
import { type Anchoring, anchorBatch } from './anchor-batch.ts';
import { listDue } from './batch-queries.ts';
import { buildBatch, failProofs, type RunInput } from './build-batch.ts';
import { recoverClaims } from './candidate-queries.ts';
import type { Attesting } from './metrics.ts';

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
export async function runProduction(server: Attesting, input: RunInput, signal?: AbortSignal): Promise<AttestationRun> {
  if (!server.config.attestation.enabled) {
    server.attestationMetrics.runEnded('disabled');
    return nothing(false, input.force);
  }
  try {
    const result = await run(server, input, signal);
    server.attestationMetrics.runEnded('completed');
    return result;
  } catch (error) {
    server.attestationMetrics.runEnded('failed');
    throw error;
  }
}

async function run(server: Attesting, input: RunInput, signal: AbortSignal | undefined): Promise<AttestationRun> {
  const result = nothing(true, input.force);
  result.candidatesAdmitted = await seedCandidates(server, input.tenantId);
  result.candidatesDeadLettered = await recover(server, input.tenantId);
  const created = await buildBatches(server, input, result, signal);
  const moved = await anchorBatches(server, input, result, signal);
  result.batchIds = [...new Set([...created, ...moved])].map(toWireId);
  return result;
}

async function recover(
  { database, clock, config, attestationMetrics: metrics }: Attesting,
  tenantId: Key,
): Promise<number> {
  const now = clock.now();
  const dead = await database.db.transaction().execute(async tx => {
    const recovered = await recoverClaims(tx, tenantId, { now, maxAttempts: config.attestation.candidateMaxAttempts });
    await failProofs(tx, tenantId, recovered.dead, now);
    return recovered.dead.length;
  });
  metrics.candidates('dead_letter', dead);
  return dead;
}

async function buildBatches(
  server: Attesting,
  input: RunInput,
  result: AttestationRun,
  signal: AbortSignal | undefined,
): Promise<Key[]> {
  const created: Key[] = [];
  while (created.length < server.config.attestation.maxBatchesPerRun && isAtWork(signal)) {
    const built = await buildBatch(server, input);
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
  server: Attesting,
  { tenantId, force }: RunInput,
  result: AttestationRun,
  signal: AbortSignal | undefined,
): Promise<Key[]> {
  const { database, clock } = server;
  const moved: Key[] = [];
  // A forced run is an operator's decision: batches without attempts left get one more.
  const due = await listDue(database.db, { tenantId, now: clock.now(), exhausted: force });
  for (const batch of due) {
    if (!isAtWork(signal)) break;
    const anchoring = await anchorBatch(server, batch);
    if (anchoring === null) continue;
    moved.push(anchoring.batchId);
    if (anchoring.recovered) result.batchesRecovered += 1;
    result[counters[anchoring.status]] += 1;
  }
  return moved;
}
