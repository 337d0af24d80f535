// Key rotation: rewraps a tenant's envelopes with the current key, and reports when the old key may be retired. It
// neither creates nor destroys keys.
import { feature } from '../../platform/feature.ts';
import { runParts } from '../runs/index.ts';
import { declareKeyRotationMetrics, type KeyRotationMetrics } from './metrics.ts';
import { keyRotationMigrations } from './migrations.ts';
import { rotations } from './rotations.ts';
import { keyRotationRoutes } from './routes.ts';
import { startScheduled } from './start-scheduled.ts';
import { workOnRun } from './work-run.ts';

export { listRetirementObstacles } from './retirement.ts';

declare module '../../platform/server.ts' {
  interface Server {
    readonly keyRotationMetrics: KeyRotationMetrics;
  }
}

export const keyRotation = feature({
  name: 'key-rotation',
  layer: 4,
  migrations: keyRotationMigrations,
  claims: [{ table: 'key_rotation_item', column: 'status', values: ['RUNNING'] }],
  provide: platform => ({ keyRotationMetrics: declareKeyRotationMetrics(platform) }),
  open: server => {
    const { keyRotation: config } = server.config;
    const parts = runParts(server, rotations, {
      pollSeconds: config.pollMs / 1000,
      firstPollAfterSeconds: config.initialDelayMs / 1000,
      runsAtOnce: config.maxTenantsPerPoll,
      listModes: () => (config.enabled ? ['DRY_RUN', 'APPLY'] : []),
      startScheduled: () => startScheduled(server, config.maxTenantsPerPoll),
      work: (which, signal) => workOnRun(server, which, signal),
    });
    return { ...parts, routes: keyRotationRoutes(server) };
  },
});
