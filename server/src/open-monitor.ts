// Joins what watches the server to what it watches: health probes, metrics, and the pages that describe it.
import type { Config } from './config.ts';
import { hasAdministrator } from './features/auth/index.ts';
import {
  databaseProbe,
  encryptionProbe,
  monitor,
  outboxProbe,
  sagaProbe,
  serviceProbe,
  storageProbe,
} from './features/monitor/index.ts';
import { site } from './features/site/index.ts';
import { type Background, countEvents, countSagas, listStorageNodes } from './open-background.ts';
import type { Platform } from './open-platform.ts';
import type { Feature } from './platform/feature.ts';
import type { Route } from './platform/http/route.ts';
import { version } from './version.ts';

export function openMonitor(
  platform: Platform,
  config: Config,
  { outbox, sagas, transport }: Background,
  isStopping: () => boolean,
): Feature {
  const { clock, log, database, cluster, objects, metrics, breakers } = platform;
  const probes = [
    databaseProbe(async () => {
      const refusal = await database.probe();
      if (refusal !== null) throw new Error(refusal);
    }, database.kind),
    serviceProbe('redis', () => cluster.probe()),
    serviceProbe('rabbit', () => transport.probe()),
    storageProbe(() => listStorageNodes(objects)),
    sagaProbe(() => countSagas(sagas), config.health),
    outboxProbe(() => countEvents(outbox), config.health),
    encryptionProbe(),
  ];
  return monitor({ clock, log, probes, metrics, breakers, isStopping, openMetrics: config.http.openMetrics });
}

/** The pages describe every route, so they come last. */
export const openSite = (routes: readonly Route[], database: Platform['database'], baseUrl: () => string): Feature =>
  site({
    endpoints: routes.map(route => route.endpoint),
    version,
    baseUrl,
    hasAdministrator: () => hasAdministrator(database),
  });
