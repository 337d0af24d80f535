// Moves the envelopes of a tenant under the key that wraps now, run by run, and tells when the old key may go. Keys
// themselves are neither made nor destroyed here.
import { feature } from '../../platform/feature.ts';
import { keyRotationJobs, pollSchedule } from './jobs.ts';
import { declareKeyRotationMetrics, type KeyRotationMetrics } from './metrics.ts';
import { keyRotationMigrations } from './migrations.ts';
import { keyRotationRoutes } from './routes.ts';

declare module '../../platform/server.ts' {
  interface Server {
    readonly keyRotationMetrics: KeyRotationMetrics;
  }
}

export const keyRotation = feature({
  name: 'key-rotation',
  floor: 4,
  migrations: keyRotationMigrations,
  claims: [{ table: 'key_rotation_item', column: 'status', values: ['RUNNING'] }],
  provide: platform => ({ keyRotationMetrics: declareKeyRotationMetrics(platform) }),
  open: server => ({
    routes: keyRotationRoutes(server),
    jobs: keyRotationJobs(server),
    schedules: [pollSchedule(server)],
  }),
});
