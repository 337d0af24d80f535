// Health probes of the platform's parts.
import { findUnusableKeys } from '../features/envelopes/index.ts';
import {
  backupProbe,
  databaseProbe,
  diskProbe,
  encryptionProbe,
  outboxProbe,
  sagaProbe,
  serviceProbe,
  storageProbe,
} from '../features/monitor/index.ts';
import type { HealthProbe } from '../platform/health.ts';
import type { Platform } from '../platform/server.ts';
import { openSharedRead } from '../platform/telemetry/shared-read.ts';
import { type Background, countEvents, countSagas, listStorageNodes } from './open-background.ts';

/** A key check may call another service, so its result is cached. */
const keysRead = { keepMs: 10_000, timeoutMs: 10_000 } as const;

export const platformHealth = (
  { database, databaseCheck, clusterServers, cluster, objects, proxies, reserve, config, clock, ...keys }: Platform,
  { outbox, sagas, exporter }: Background,
): HealthProbe[] => [
  databaseProbe(
    async () => {
      const rejection = await database.probe();
      if (rejection !== null) throw new Error(rejection);
    },
    { engine: database.kind, check: databaseCheck, clusterServers },
  ),
  serviceProbe('redis', () => cluster.probe()),
  serviceProbe('rabbit', () => exporter?.probe() ?? { mode: 'embedded' }),
  storageProbe(
    () => listStorageNodes(objects),
    () => reserve.isReleased,
  ),
  sagaProbe(() => countSagas(sagas), config.health),
  outboxProbe(() => countEvents(outbox), config.health),
  encryptionProbe(
    keys.keyProvider,
    openSharedRead(() => findUnusableKeys({ database, ...keys }), { clock, ...keysRead }),
  ),
  diskProbe({
    folder: config.dataFolder,
    reserveBytes: config.reserveBytes,
    isReleased: () => reserve.isReleased,
  }),
  backupProbe({ db: database.db, clock, maxAgeHours: config.health.backupMaxAgeHours }),
  { name: 'proxies', check: () => proxies.health() },
];
