import {
  getHealth,
  getLiveness,
  getMetrics,
  getReadiness,
  type HealthStatus,
  listCircuitBreakers,
} from '@recordproof/shared/api/monitor.ts';
import { isOperator } from '../../platform/http/caller.ts';
import { type PlainAnswer, plainRoute, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { type HealthWatch, watchParts } from './health-watch.ts';

type Watched = Pick<Server, 'clock' | 'log' | 'config' | 'parts' | 'metrics' | 'breakers' | 'stopping'>;

/** Without these no request can be served. Without Redis each server counts for itself. */
const neededToServe = ['db', 's3Storage'] as const;

export function monitorRoutes(server: Watched, watch: () => HealthWatch = watchParts(server)): Route[] {
  const metricsAccess = server.config.http.openMetrics ? 'anonymous' : getMetrics.access;
  return [
    plainRoute(getHealth, async ({ caller }) => {
      const health = await watch().readAll();
      return toAnswer(health.status, isOperator(caller) ? health : { status: health.status });
    }),
    plainRoute(getLiveness, () => toAnswer('UP', { status: 'UP' })),
    plainRoute(getReadiness, async () => {
      const status = server.stopping.aborted ? 'DOWN' : await watch().readWorst(neededToServe);
      return toAnswer(status, { status });
    }),
    plainRoute({ ...getMetrics, access: metricsAccess }, async () => {
      const { contentType, body } = await server.metrics.scrape();
      return { headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body };
    }),
    plainRoute(listCircuitBreakers, () => {
      const circuitBreakers = Object.fromEntries(server.breakers.list().map(({ name, ...view }) => [name, view]));
      return toAnswer('UP', { circuitBreakers });
    }),
  ];
}

const toAnswer = (status: HealthStatus, body: object): PlainAnswer => ({
  status: status === 'DOWN' ? 503 : 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});
