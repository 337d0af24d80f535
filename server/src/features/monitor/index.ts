// Health, readiness, metrics and circuit breakers for operators.
import { feature } from '../../platform/feature.ts';
import { monitorRoutes } from './routes.ts';

export { databaseProbe, encryptionProbe, outboxProbe, sagaProbe, serviceProbe, storageProbe } from './probes.ts';

export const monitor = feature({ name: 'monitor', floor: 4, open: server => ({ routes: monitorRoutes(server) }) });
