// What counts all tenants of the installation: its queues, its traffic, its store, its process. Read at most once a second,
// however many screens ask.
import { loadavg } from 'node:os';
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import { countQueues } from '../../platform/jobs/count-queues.ts';
import { countSagas } from '../../platform/saga/queries.ts';
import type { Server } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';

type Installation = NonNullable<SystemMonitor['installation']>;
type Needed = Pick<Server, 'database' | 'clock' | 'objects' | 'goals'>;

export function openInstallationRead(server: Needed): () => Promise<Installation> {
  const { clock, goals } = server;
  const queues = openSharedRead(() => readQueues(server), { clock, keepMs: 1000, timeoutMs: 5000 });
  return async () => {
    const { good, bad } = goals.total('api-errors');
    return { ...(await queues()), ...readProcess(), requests: good + bad, failedRequests: bad };
  };
}

async function readQueues({ database: { db }, objects }: Needed) {
  const [{ jobs, events }, sagas, store] = await Promise.all([countQueues(db), countSagas(db), objects.probe()]);
  return {
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
