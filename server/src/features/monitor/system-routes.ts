import { loadavg } from 'node:os';
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import * as api from '@recordproof/shared/api/system.ts';
import { toIso } from '../../platform/clock.ts';
import type { Key } from '../../platform/db/tables.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { version } from '../../version.ts';
import { countBacklog } from '../attestation/index.ts';
import { type HealthWatch, openHealthWatch, worstOf } from './health-watch.ts';
import { blockchainProbe } from './probes.ts';
import { readStats } from './read-stats.ts';

type Watched = Pick<Server, 'database' | 'clock' | 'log' | 'downloads' | 'readChainStatus'>;

export const systemRoutes = (server: Watched, watch: () => HealthWatch): Route[] => {
  const chain = openHealthWatch(server, [blockchainProbe(server.readChainStatus)]);
  return [
    route(api.getSystemStats, r => readStats(server, r.actor.tenantId)),
    route(api.getSystemHealth, () => readHealth(watch(), chain)),
    route(api.getSystemMonitor, r => readMonitor(server, watch(), r.actor.tenantId)),
  ];
};

const missing: ComponentHealth = { status: 'DOWN' };

async function readHealth(watch: HealthWatch, chain: HealthWatch): Promise<api.SystemHealth> {
  const [{ components }, { components: chains }] = await Promise.all([watch.readAll(), chain.readAll()]);
  const { db: database = missing, redis: cache = missing, s3Storage: storage = missing } = components;
  const { blockchain = missing } = chains;
  const status = worstOf([database, cache, blockchain, storage].map(part => part.status));
  return { status, database, cache, blockchain, storage };
}

/** Of the parts no details: their queues are those of every tenant. */
async function readMonitor(server: Watched, watch: HealthWatch, tenantId: Key): Promise<api.SystemMonitor> {
  const [health, stats, chain, backlog] = await Promise.all([
    watch.readAll(),
    readStats(server, tenantId),
    server.readChainStatus(),
    countBacklog(server.database.db, tenantId),
  ]);
  const parts = Object.entries(health.components).map(([name, { status }]) => [name, status] as const);
  return {
    time: toIso(server.clock.now()),
    server: readProcess(),
    health: { status: health.status, components: Object.fromEntries(parts) },
    stats,
    chain,
    attestation: {
      readyCandidates: backlog.ready,
      claimedCandidates: backlog.claimed,
      deadLetterCandidates: backlog.dead,
    },
  };
}

function readProcess(): api.SystemMonitor['server'] {
  const { user, system } = process.cpuUsage();
  return {
    version,
    uptimeSeconds: Math.floor(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    loadAverage: loadavg()[0] ?? 0,
  };
}
