// Installation-wide statistics: queues, traffic, store, process. Read at most once a second, for any number of
// dashboards.
import { loadavg } from 'node:os';
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import type { Db } from '../../platform/db/tables.ts';
import { countQueues } from '../../platform/jobs/queries.ts';
import { countSagas } from '../../platform/saga/queries.ts';
import type { Server } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { countAccountsOf, listTenants } from '../accounts/index.ts';
import { listUsageOfTenants } from '../quotas/index.ts';

type Installation = NonNullable<SystemMonitor['installation']>;
type Dependencies = Pick<Server, 'database' | 'clock' | 'objects' | 'goals'>;

export function openInstallationRead(server: Dependencies): () => Promise<Installation> {
  const { clock, goals } = server;
  const queues = openSharedRead(() => readQueues(server), { clock, keepMs: 1000, timeoutMs: 5000 });
  return async () => {
    const { good, bad } = goals.total('api-errors');
    return { ...(await queues()), ...readProcess(), requests: good + bad, failedRequests: bad };
  };
}

async function readQueues({ database: { db }, objects }: Dependencies) {
  const [{ jobs, events }, sagas, store] = await Promise.all([countQueues(db), countSagas(db), objects.probe()]);
  const tenants = await sumTenants(db);
  return {
    tenants,
    jobs,
    events: { pending: events.waiting + events.running, exhausted: events.dead },
    sagas: { running: sagas.running, failed: sagas.failed, pendingCompensation: sagas.compensating },
    storageNodes: store.nodes.map(({ name, online, usagePercent = null }) => ({ node: name, online, usagePercent })),
  };
}

function readProcess() {
  const { user, system } = process.cpuUsage();
  return {
    memoryBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    loadAverage: loadavg()[0] ?? 0,
  };
}

async function sumTenants(db: Db): Promise<Installation['tenants']> {
  const tenants = await listTenants(db);
  const ids = tenants.map(({ id }) => id);
  const [accounts, usage] = [await countAccountsOf(db, ids), await listUsageOfTenants(db, ids)];
  const countOf = (status: TenantStatus) => tenants.filter(tenant => tenant.status === status).length;
  const used = [...usage.values()];
  return {
    active: countOf('ACTIVE'),
    suspended: countOf('SUSPENDED'),
    deleting: countOf('DELETING'),
    users: [...accounts.values()].reduce((sum, { users }) => sum + users, 0),
    files: used.reduce((sum, { files }) => sum + files, 0),
    bytes: used.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
