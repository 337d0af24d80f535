// Attestation: collects stored file versions into Merkle batches and anchors their roots. On by default with the
// profile `laptop`, off with `server`.
import { feature } from '../../platform/feature.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { Server } from '../../platform/server.ts';
import { admitStoredFiles } from './admit-candidates.ts';
import { attestationJobs, pollSchedule, retryForSpace } from './jobs.ts';
import { type AttestationMetrics, declareAttestationMetrics } from './metrics.ts';
import { attestationMigrations } from './migrations.ts';
import { attestationRoutes } from './routes.ts';

export { batchCompleted } from './anchor-batch.ts';
export {
  type BatchRow,
  countAnchored,
  joinedBatch,
  joinedLeaf,
  type LeafRow,
  type LeafWithBatch,
  listLeaves,
  listLeavesOfFiles,
  toBatchNo,
} from './batch-queries.ts';
export { countBacklog, findCandidate } from './candidate-queries.ts';

declare module '../../platform/server.ts' {
  interface Server {
    readonly attestationMetrics: AttestationMetrics;
  }
}

/** Off is a configuration and no fault: the details name the setting. */
const attestationProbe = ({ config: { attestation, profile } }: Pick<Server, 'config'>): HealthProbe => ({
  name: 'attestation',
  check: () => ({
    status: 'UP',
    details: {
      enabled: attestation.enabled,
      profile,
      ...(!attestation.enabled && { setting: 'attestation.production.enabled' }),
    },
  }),
});

export const attestation = feature({
  name: 'attestation',
  layer: 3,
  migrations: attestationMigrations,
  claims: [
    { table: 'attestation_candidate', column: 'status', values: ['CLAIMED'] },
    { table: 'attestation_batch', column: 'status', values: ['CHAIN_SUBMITTING'] },
  ],
  provide: platform => ({ attestationMetrics: declareAttestationMetrics(platform) }),
  open: server => {
    server.reserve.onRestored(() => retryForSpace(server));
    return {
      routes: attestationRoutes(server),
      jobs: attestationJobs(server),
      schedules: [pollSchedule(server)],
      consumers: [admitStoredFiles(server)],
      health: [attestationProbe(server)],
    };
  },
});
