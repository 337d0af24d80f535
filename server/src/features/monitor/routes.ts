import {
  type CircuitBreakerView,
  getHealth,
  getLiveness,
  getMetrics,
  getReadiness,
  type HealthStatus,
  listCircuitBreakers,
} from '@recordproof/shared/api/monitor.ts';
import { isOperator } from '../../platform/http/caller.ts';
import { type PlainAnswer, plainRoute, type Route } from '../../platform/http/route.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { type HealthPorts, openHealthWatch } from './health.ts';

export type MonitorPorts = HealthPorts & {
  readonly metrics: Pick<Metrics, 'scrape'>;
  readonly breakers: { list(): readonly (CircuitBreakerView & { readonly name: string })[] };
  /** True from the moment a shutdown begins, while running requests may still finish. */
  readonly isStopping: () => boolean;
  /** Whether metrics may be scraped without a token. */
  readonly openMetrics: boolean;
};

/** Without these no request can be served. Without Redis each server counts for itself. */
const neededToServe = ['db', 's3Storage'] as const;

export function monitorRoutes(ports: MonitorPorts): Route[] {
  const watch = openHealthWatch(ports);
  const metricsAccess = ports.openMetrics ? 'anonymous' : getMetrics.access;
  return [
    plainRoute(getHealth, async ({ caller }) => {
      const health = await watch.readAll();
      return toAnswer(health.status, isOperator(caller) ? health : { status: health.status });
    }),
    plainRoute(getLiveness, () => toAnswer('UP', { status: 'UP' })),
    plainRoute(getReadiness, async () => {
      const status = ports.isStopping() ? 'DOWN' : await watch.readWorst(neededToServe);
      return toAnswer(status, { status });
    }),
    plainRoute({ ...getMetrics, access: metricsAccess }, async () => {
      const { contentType, body } = await ports.metrics.scrape();
      return { headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body };
    }),
    plainRoute(listCircuitBreakers, () => {
      const circuitBreakers = Object.fromEntries(ports.breakers.list().map(({ name, ...view }) => [name, view]));
      return toAnswer('UP', { circuitBreakers });
    }),
  ];
}

const toAnswer = (status: HealthStatus, body: object): PlainAnswer => ({
  status: status === 'DOWN' ? 503 : 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});
