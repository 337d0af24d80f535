// How the parts of the platform are asked how they are.
import {
  databaseProbe,
  encryptionProbe,
  outboxProbe,
  sagaProbe,
  serviceProbe,
  storageProbe,
} from '../features/monitor/index.ts';
import type { HealthProbe } from '../platform/health.ts';
import type { Platform } from '../platform/server.ts';
import { type Background, countEvents, countSagas, listStorageNodes } from './open-background.ts';

export const platformHealth = (
  { database, databaseCheck, company, cluster, objects, proxies, reserve, config, keyProvider }: Platform,
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
  encryptionProbe(keyProvider),
  { name: 'proxies', check: () => proxies.health() },
];
