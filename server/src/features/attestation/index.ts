// Gathers stored file versions into Merkle batches and anchors their roots. Off by default.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Feature } from '../../platform/feature.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { ChainPort } from '../chain/index.ts';
import { admitStoredFiles } from './admit.ts';
import { attestationJobs, pollSchedule } from './jobs.ts';
import { declareAttestationMetrics } from './metrics.ts';
import type { AttestationLimits, AttestationPorts } from './ports.ts';
import { attestationRoutes } from './routes.ts';

export { batchCompleted } from './anchor-batch.ts';
export { toBatchNo } from './batch-numbers.ts';
export { type BatchRow, findLeafOfFile, type LeafRow, type LeafWithBatch, listLeaves } from './batch-queries.ts';
export { findCandidate } from './candidate-queries.ts';
export { attestationMigrations } from './migrations.ts';

type Ports = {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly chain: ChainPort;
  readonly limits: AttestationLimits;
  readonly metrics: Metrics;
};

export function attestation(given: Ports): Feature {
  const { metrics, ...rest } = given;
  const { db } = given.database;
  const ports: AttestationPorts = { ...rest, metrics: declareAttestationMetrics(metrics, { db, clock: given.clock }) };
  return {
    name: 'attestation',
    routes: attestationRoutes(ports),
    jobs: attestationJobs(ports),
    schedules: [pollSchedule(ports)],
    consumers: [admitStoredFiles(ports)],
  };
}
