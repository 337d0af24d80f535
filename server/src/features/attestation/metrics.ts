// Metrics of attestation, under the names of the specification. Labels never name a tenant, a file or a batch.
import type { Platform, Server } from '../../platform/server.ts';
import { attestationGoalSeconds } from '../../platform/telemetry/goals.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { countBacklog } from './candidate-queries.ts';

export type AttestationMetrics = ReturnType<typeof declareAttestationMetrics>;

/** Dependencies of attestation. */
export type Attesting = Pick<
  Server,
  'database' | 'clock' | 'log' | 'config' | 'chain' | 'suites' | 'cryptoPolicies' | 'attestationMetrics'
>;

const toSamples = ({ ready, dead }: Awaited<ReturnType<typeof countBacklog>>) => [
  { labels: { status: 'ready' as const }, value: ready },
  { labels: { status: 'dead_letter' as const }, value: dead },
];

export function declareAttestationMetrics({
  metrics,
  goals,
  database,
  clock,
}: Pick<Platform, 'metrics' | 'goals' | 'database' | 'clock'>) {
  const candidates = metrics.counter({
    name: 'app_attestation_candidate_total',
    help: 'Candidates by what became of them',
    labels: { result: ['admitted', 'batched', 'dead_letter'] },
  });
  const backlog = openSharedRead(() => countBacklog(database.db), { clock, keepMs: 1000, timeoutMs: 2000 });
  metrics.gauge({
    name: 'app_attestation_candidate_backlog',
    help: 'Pending candidates, and candidates that failed for the last time',
    labels: { status: ['ready', 'dead_letter'] },
    read: async () => toSamples(await backlog()),
    readTenant: async tenantId => toSamples(await countBacklog(database.db, tenantId)),
  });
  const batches = metrics.counter({
    name: 'app_attestation_batch_total',
    help: 'Batches by how an attempt to anchor them ended',
    labels: { status: ['completed', 'retry', 'manual_review'] },
  });
  const sizes = metrics.summary({
    name: 'app_attestation_batch_size',
    help: 'Leaves per created batch',
    labels: {},
  });
  const latency = metrics.timer({
    name: 'app_attestation_batch_latency_seconds',
    help: 'Time from the admission of a candidate to its batch, in seconds',
    labels: {},
  });
  const runs = metrics.counter({
    name: 'app_attestation_production_run_total',
    help: 'Production runs by result',
    labels: { result: ['completed', 'disabled', 'failed'] },
  });
  return {
    candidates: (result: 'admitted' | 'batched' | 'dead_letter', count: number): void => {
      if (count > 0) candidates.add({ result }, count);
    },
    /** `waitedSeconds`: of each leaf, from its admission. */
    batchCreated: (waitedSeconds: readonly number[]): void => {
      sizes.observe({}, waitedSeconds.length);
      for (const seconds of waitedSeconds) {
        latency.observe({}, Math.max(0, seconds));
        goals.record('attestation-latency', seconds <= attestationGoalSeconds);
      }
    },
    batchMoved: (status: 'completed' | 'retry' | 'manual_review'): void => batches.add({ status }),
    runEnded: (result: 'completed' | 'disabled' | 'failed'): void => runs.add({ result }),
  };
}
