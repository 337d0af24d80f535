// Health, readiness, metrics and circuit breakers for operators; and a watch that tells administrators of changes.
import { feature } from '../../platform/feature.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { openWatchLater } from './health-watch.ts';
import { monitorMigrations } from './migrations.ts';
import { monitorRoutes } from './routes.ts';
import { bringCounts, watchJob, watchKind } from './watch.ts';

export { databaseProbe, encryptionProbe, outboxProbe, sagaProbe, serviceProbe, storageProbe } from './probes.ts';

const bringEveryMs = 60_000;

export const monitor = feature({
  name: 'monitor',
  floor: 4,
  migrations: monitorMigrations,
  provide: (platform, opening) => {
    const timer = setInterval(() => void bring(platform), bringEveryMs).unref();
    opening.defer(() => clearInterval(timer));
    return {};
  },
  open: server => {
    const watch = openWatchLater(server);
    return {
      routes: monitorRoutes(server, watch),
      jobs: [watchJob(server, watch)],
      schedules: [{ name: watchKind, everySeconds: 60, jobKind: watchKind }],
    };
  },
});

async function bring(server: Pick<Server, 'database' | 'clock' | 'log' | 'goals'>): Promise<void> {
  try {
    await bringCounts(server);
  } catch (error) {
    server.log.warn({ error: toErrorText(error) }, 'what the objectives count was not written; a minute of it is lost');
  }
}
