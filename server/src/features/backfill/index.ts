// Takes in records of an older system, and gives manifests to those that can prove themselves: runs that look, say what they
// found, and write only where that was looked at, allowed, and has not changed since.
import { feature } from '../../platform/feature.ts';
import { findGovernance } from './governance.ts';
import { backfillJobs, pollSchedule } from './jobs.ts';
import { type BackfillMetrics, declareBackfillMetrics } from './metrics.ts';
import { backfillMigrations } from './migrations.ts';
import { backfillRoutes } from './routes.ts';
import { listNamedPaths } from './source-queries.ts';

export { type ImportSummary, importLegacy } from './import-legacy.ts';

declare module '../../platform/server.ts' {
  interface Server {
    readonly backfillMetrics: BackfillMetrics;
  }
}

export const backfill = feature({
  name: 'backfill',
  floor: 4,
  migrations: backfillMigrations,
  claims: [
    { table: 'backfill_run', column: 'status', values: ['SCANNING', 'APPLYING'] },
    { table: 'backfill_item', column: 'status', values: ['RUNNING'] },
  ],
  provide: platform => ({ backfillMetrics: declareBackfillMetrics(platform) }),
  open: server => ({
    routes: backfillRoutes(server),
    jobs: backfillJobs(server),
    schedules: [pollSchedule(server)],
    hooks: { findGovernance, listNamedPaths },
  }),
});
