// Integrity of stored files: damage found by a download or a check becomes an alert for the tenant's staff, and a
// health state; damage is repaired from other copies if possible.
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import { feature } from '../../platform/feature.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { Server } from '../../platform/server.ts';
import type { FileRow } from '../files/index.ts';

export { type Examines, examineFile, type ProofCheck, readSubjects } from './examine-file.ts';
export type { Finding } from './findings.ts';
export { countUnresolvedByTenant, findOpenAlerts } from './queries.ts';
export { raiseAlert } from './raise-alert.ts';
export { scrubProbe } from './scrub-metrics.ts';

import type { ProofCheck } from './examine-file.ts';
import { integrityMigrations } from './migrations.ts';
import { countUnresolved } from './queries.ts';
import { alertOfDamage } from './raise-alert.ts';
import { healCheckJob } from './resolve-alerts.ts';
import { integrityRoutes } from './routes.ts';
import { integrityCheckJobs, integritySchedules } from './schedule.ts';
import { scrubJob, scrubSchedules } from './scrub.ts';
import { declareScrubMetrics, scrubProbe } from './scrub-metrics.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    checkProof: (file: FileRow) => Promise<ProofCheck>;
  }
}

export const integrityProbe = ({ database }: Pick<Server, 'database'>): HealthProbe => ({
  name: 'integrity',
  check: async () => toHealth(await countUnresolved(database.db)),
  checkTenant: async tenantId => toHealth(await countUnresolved(database.db, tenantId)),
});

const toHealth = (unresolvedAlerts: number): ComponentHealth => ({
  status: unresolvedAlerts === 0 ? 'UP' : 'DEGRADED',
  details: { unresolvedAlerts },
});

export const integrity = feature({
  name: 'integrity',
  layer: 3,
  migrations: integrityMigrations,
  open: server => ({
    routes: integrityRoutes(server),
    jobs: [...integrityCheckJobs(server), healCheckJob(server), scrubJob(server, declareScrubMetrics(server))],
    schedules: [...integritySchedules(server), ...scrubSchedules(server)],
    consumers: [alertOfDamage(server)],
    health: [integrityProbe(server), scrubProbe(server)],
  }),
});
