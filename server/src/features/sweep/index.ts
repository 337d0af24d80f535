// The sweep: finds objects in the store that have no row in the database, and deletes them in steps, each of which checks
// again: a census, manual marks, a protection window, another census. In doubt an object is kept.
import { feature } from '../../platform/feature.ts';
import { censusJob } from './census-job.ts';
import { declareSweepMetrics, type SweepMetrics } from './metrics.ts';
import { sweepMigrations } from './migrations.ts';
import { sweepRoutes } from './routes.ts';
import { workJob, workJobKind } from './work-marks.ts';

declare module '../../platform/server.ts' {
  interface Server {
    readonly sweepMetrics: SweepMetrics;
  }
}

export const sweep = feature({
  name: 'sweep',
  layer: 4,
  migrations: sweepMigrations,
  provide: platform => ({ sweepMetrics: declareSweepMetrics(platform) }),
  open: server => ({
    routes: sweepRoutes(server),
    jobs: [censusJob(server), workJob(server)],
    schedules: [{ name: 'sweep', everySeconds: server.config.sweep.workerDelaySeconds, jobKind: workJobKind }],
  }),
});
