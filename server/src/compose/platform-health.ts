// How the parts of the platform are asked how they are.
import { findKeyTroubles } from '../features/envelopes/index.ts';
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

/** A trial of keys may be a call of another service: not at every question. */
const keysRead = { keepMs: 10_000, timeoutMs: 10_000 } as const;

export const platformHealth = (
  { database, databaseCheck, company, cluster, objects, proxies, reserve, config, clock, ...keys }: Platform,
  { outbox, sagas, exporter }: Background,
): HealthProbe[] => [
  databaseProbe(
    async () => {
      const refusal = await database.probe();
      if (refusal !== null) throw new Error(refusal);
    },
    { engine: database.kind, check: databaseCheck, company },
  ),
  serviceProbe('redis', () => cluster.probe()),
  serviceProbe('rabbit', () => exporter?.probe() ?? { mode: 'embedded' }),
  storageProbe(
    () => listStorageNodes(objects),
    () => reserve.isGivenUp,
  ),
  sagaProbe(() => countSagas(sagas), config.health),
  outboxProbe(() => countEvents(outbox), config.health),
  encryptionProbe(
    keys.keyProvider,
    openSharedRead(() => findKeyTroubles({ database, ...keys }), { clock, ...keysRead }),
  ),
  diskProbe({
    folder: config.dataFolder,
    reserveBytes: config.reserveBytes,
    isReleased: () => reserve.isGivenUp,
  }),
  backupProbe({ db: database.db, clock, maxAgeHours: config.health.backupMaxAgeHours }),
  { name: 'proxies', check: () => proxies.health() },
];
