// Health, readiness, metrics and circuit breakers for operators; a watch that reports changes; and a tenant's
// statistics for its administrators.
import { feature } from '../../platform/feature.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { maySeeInstallation } from '../accounts/index.ts';
import { mailJob } from './health-mail.ts';
import { watchParts } from './health-watch.ts';
import { monitorMigrations } from './migrations.ts';
import { type MonitorStreams, openMonitorStreams } from './monitor-streams.ts';
import { declareOperatorMetrics } from './operator-probes.ts';
import { blockchainProbe } from './probes.ts';
import { type MaySeeAll, monitorRoutes } from './routes.ts';
import { systemRoutes } from './system-routes.ts';
import { flushGoalCounts, watchJob, watchKind } from './watch-conditions.ts';

export { declareHealthMetrics } from './health-watch.ts';
export { backupProbe, diskProbe } from './operator-probes.ts';
export { databaseProbe, encryptionProbe, outboxProbe, sagaProbe, serviceProbe, storageProbe } from './probes.ts';

declare module '../../platform/server.ts' {
  interface Server {
    readonly monitorStreams: MonitorStreams;
  }
}

const flushEveryMs = 60_000;

export const monitor = feature({
  name: 'monitor',
  layer: 4,
  migrations: monitorMigrations,
  provide: (platform, opening) => {
    const flush = () =>
      flushGoalCounts(platform).catch(error =>
        platform.log.warn(
          { error: toErrorText(error) },
          'failed to store the counters of the service objectives; one minute is lost',
        ),
      );
    const timer = setInterval(() => void flush(), flushEveryMs).unref();
    opening.defer(() => clearInterval(timer));
    return { monitorStreams: opening.use(openMonitorStreams(platform)) };
  },
  open: server => {
    const watch = watchParts(server);
    declareOperatorMetrics(server);
    return {
      health: [blockchainProbe(server.readChainStatus)],
      routes: [...monitorRoutes(server, maySeeAll(server), watch), ...systemRoutes(server, watch)],
      jobs: [watchJob(server, watch), mailJob(server)],
      schedules: [{ name: watchKind, everySeconds: 60, jobKind: watchKind }],
    };
  },
});

/** The management token, installation administrators, and monitors of the only tenant. */
const maySeeAll =
  ({ database }: Pick<Server, 'database'>): MaySeeAll =>
  async caller =>
    caller.kind === 'operator' || (caller.kind === 'user' && (await maySeeInstallation(database.db, caller.actor)));
