// Health, readiness, metrics and circuit breakers for operators; the figures of a tenant for its administrators.
import { feature } from '../../platform/feature.ts';
import { watchParts } from './health-watch.ts';
import { monitorRoutes } from './routes.ts';
import { systemRoutes } from './system-routes.ts';

export { databaseProbe, encryptionProbe, outboxProbe, sagaProbe, serviceProbe, storageProbe } from './probes.ts';

export const monitor = feature({
  name: 'monitor',
  floor: 4,
  open: server => {
    const watch = watchParts(server);
    return { routes: [...monitorRoutes(server, watch), ...systemRoutes(server, watch)] };
  },
});
