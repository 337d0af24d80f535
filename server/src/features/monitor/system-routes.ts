// Routes of tenant statistics and system state.
import type { AlertSeverity, AlertType } from '@recordproof/shared/api/integrity.ts';
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import * as api from '@recordproof/shared/api/system.ts';
import { toIso } from '../../platform/clock.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { eventStreamHeaders } from '../../platform/http/page-headers.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { version } from '../../version.ts';
import { maySeeInstallation } from '../accounts/index.ts';
import { countBacklog } from '../attestation/index.ts';
import { findOpenAlerts } from '../integrity/index.ts';
import { type HealthWatch, worstOf } from './health-watch.ts';
import { listConditions } from './queries.ts';
import { openInstallationRead, readStats } from './statistics.ts';
import { isNormal } from './watch-conditions.ts';

type Watched = Pick<
  Server,
  'database' | 'clock' | 'log' | 'downloads' | 'readChainStatus' | 'objects' | 'goals' | 'monitorStreams'
>;

export const systemRoutes = (server: Watched, watch: () => HealthWatch): Route[] => {
  const { db } = server.database;
  const readInstallation = openInstallationRead(server);
  const readAll = async (actor: Actor): Promise<api.SystemMonitor> => {
    const seesAll = await maySeeInstallation(db, actor);
    const installation = seesAll ? await readInstallation() : null;
    const monitor = await readMonitor(server, watch(), actor);
    const vouchers = seesAll ? await readVouchers(watch()) : undefined;
    return { ...monitor, installation, ...(vouchers !== undefined && { vouchers }) };
  };
  return [
    route(api.getSystemStats, r => readStats(server, r.actor.tenantId)),
    route(api.getSystemHealth, () => readHealth(watch())),
    route(api.getSystemMonitor, ({ actor }) => readAll(actor)),
    plainRoute(api.watchSystemMonitor, async r => {
      if (r.method === 'HEAD') return { headers: eventStreamHeaders, body: null };
      const { actor, query } = r;
      const read = () => readAll(actor);
      server.monitorStreams.begin({ actor, read, ...query, connect: () => r.openStream(eventStreamHeaders) });
      return undefined;
    }),
  ];
};

async function readVouchers(watch: HealthWatch): Promise<api.SystemMonitor['vouchers']> {
  const { components } = await watch.readAll('none');
  return api.voucherDetails.safeParse(components.vouchers?.details).data?.targets;
}

const missing: ComponentHealth = { status: 'DOWN' };

async function readHealth(watch: HealthWatch): Promise<api.SystemHealth> {
  const { components } = await watch.readAll('none');
  const { db: database = missing, redis: cache = missing, blockchain = missing } = components;
  const { s3Storage: storage = missing } = components;
  const status = worstOf([database, cache, blockchain, storage].map(part => part.status));
  return { status, database, cache, blockchain, storage };
}

/** Parts without details, which count data of every tenant. */
async function readMonitor(
  server: Watched,
  watch: HealthWatch,
  { tenantId, permissions }: Actor,
): Promise<Omit<api.SystemMonitor, 'installation'>> {
  const { db } = server.database;
  const [health, stats, chain, backlog, alerts, conditions] = await Promise.all([
    watch.readAll(permissions.has('installation:admin') ? 'all' : tenantId),
    readStats(server, tenantId),
    server.readChainStatus(),
    countBacklog(db, tenantId),
    findOpenAlerts(db, tenantId),
    listConditions(db),
  ]);
  const parts = Object.entries(health.components).map(([name, { status }]) => [name, status] as const);
  return {
    time: toIso(server.clock.now()),
    server: { version, uptimeSeconds: Math.floor(process.uptime()) },
    health: { status: health.status, components: Object.fromEntries(parts) },
    stats,
    chain,
    attestation: {
      readyCandidates: backlog.ready,
      claimedCandidates: backlog.claimed,
      deadLetterCandidates: backlog.dead,
    },
    alerts: { unresolved: alerts.unresolved, newest: alerts.newest.map(toAlertView) },
    conditions: conditions.filter(({ told }) => !isNormal(told)).map(({ name, told }) => ({ name, state: told })),
  };
}

type OpenAlert = Awaited<ReturnType<typeof findOpenAlerts>>['newest'][number];

const toAlertView = (row: OpenAlert) => ({
  id: toWireId(row.id),
  alertType: row.alert_type as AlertType,
  severity: row.severity as AlertSeverity,
  createdAt: toIso(row.created_at),
});
