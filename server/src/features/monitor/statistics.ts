// Statistics: of a tenant, and installation-wide ones of queues, traffic, store and process.
import { loadavg } from 'node:os';
import type { SystemMonitor, SystemStats } from '@recordproof/shared/api/system.ts';
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { countQueues } from '../../platform/jobs/queries.ts';
import { countSagas } from '../../platform/saga/queries.ts';
import type { Server } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { countAccounts, countAccountsOf, listTenants } from '../accounts/index.ts';
import { countAnchored } from '../attestation/index.ts';
import { toDay } from '../files/index.ts';
import { findUsage, listUsageOfTenants, wholeTenant } from '../quotas/index.ts';

/** Each is maintained with the change it counts, or counted in an index of the tenant: none reads the files. */
export async function readStats(
  { database: { db }, clock, downloads }: Pick<Server, 'database' | 'clock' | 'downloads'>,
  tenantId: Key,
): Promise<SystemStats> {
  await downloads.flush();
  const today = toDay(clock.now());
  const [totalUsers, batches, used] = await Promise.all([
    countAccounts(db, tenantId),
    countAnchored(db, tenantId),
    findUsage(db, tenantId, wholeTenant),
  ]);
  return {
    totalUsers,
    totalFiles: used?.latest_files ?? 0,
    totalStorage: used?.bytes ?? 0,
    totalTransactions: (used?.recorded ?? 0) + batches,
    todayUploads: used?.upload_day === today ? used.day_uploads : 0,
    todayDownloads: used?.download_day === today ? used.day_downloads : 0,
  };
}

type Installation = NonNullable<SystemMonitor['installation']>;
type Dependencies = Pick<Server, 'database' | 'clock' | 'objects' | 'goals'>;

/** Read at most once a second, for any number of dashboards. */
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
