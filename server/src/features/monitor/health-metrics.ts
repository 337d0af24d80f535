// Health as metrics: one series per part.
import type { HealthStatus } from '@recordproof/shared/api/monitor.ts';
import type { Server } from '../../platform/server.ts';
import { watchParts } from './health-watch.ts';

const values: Readonly<Record<HealthStatus, number>> = { UP: 0, DEGRADED: 1, DOWN: 2 };

/** Call when all parts are registered. */
export function declareHealthMetrics(server: Pick<Server, 'metrics' | 'clock' | 'log' | 'parts'>): void {
  const watch = watchParts(server);
  const components = server.parts.flatMap(({ health = [] }) => health.map(({ name }) => name));
  server.metrics.gauge({
    name: 'app_health_component',
    help: 'State of a part of health: 0 UP, 1 DEGRADED, 2 DOWN',
    labels: { component: components },
    read: async () => {
      const health = await watch().readAll('all');
      return Object.entries(health.components).map(([component, { status }]) => ({
        labels: { component },
        value: values[status],
      }));
    },
  });
}
