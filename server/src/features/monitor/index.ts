// Health, readiness, metrics and circuit breakers for operators (admin-and-verifier.md, "Health and metrics").
import { type MonitorPorts, monitorRoutes } from './routes.ts';

export type { HealthProbe } from './health.ts';
export { databaseProbe, encryptionProbe, outboxProbe, sagaProbe, serviceProbe, storageProbe } from './probes.ts';
export type { MonitorPorts };

export const monitor = (ports: MonitorPorts) => ({ name: 'monitor', routes: monitorRoutes(ports) });
