// Finds what the object store holds and nothing refers to, and removes it in steps that each look again: a census, marks
// by hand, a protection window, another census. Whatever is not known for certain stays.
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
  floor: 4,
  migrations: sweepMigrations,
  provide: platform => ({ sweepMetrics: declareSweepMetrics(platform) }),
  open: server => ({
    routes: sweepRoutes(server),
    jobs: [censusJob(server), workJob(server)],
    schedules: [{ name: 'sweep', everySeconds: server.config.sweep.workerDelaySeconds, jobKind: workJobKind }],
  }),
});
