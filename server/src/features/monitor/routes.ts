// Routes of health, readiness and metrics.
import * as api from '@recordproof/shared/api/monitor.ts';
import { type Caller, isOperator } from '../../platform/http/caller.ts';
import { type PlainAnswer, plainRoute, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { type HealthScope, type HealthWatch, watchParts } from './health-watch.ts';

/** Whether a caller may see installation-wide figures. */
export type MaySeeAll = (caller: Caller) => Promise<boolean>;

type Watched = Pick<Server, 'clock' | 'log' | 'config' | 'parts' | 'metrics' | 'breakers' | 'stopping'>;

/** Uploads or downloads fail without these. Without Redis each server counts separately. */
const neededToServe = ['db', 's3Storage', 'encryption'] as const;

export function monitorRoutes(
  server: Watched,
  maySeeAll: MaySeeAll,
  watch: () => HealthWatch = watchParts(server),
): Route[] {
  const isOpen = server.config.http.openMetrics;
  const metricsAccess = isOpen ? 'anonymous' : api.getMetrics.access;
  return [
    plainRoute(api.getHealth, async ({ caller }) => {
      const health = await watch().readAll(toScope(caller));
      if (!isOperator(caller)) return toAnswer(health.status, { status: health.status });
      return toAnswer(health.status, (await maySeeAll(caller)) ? health : watch().withoutCounts(health));
    }),
    plainRoute(api.getLiveness, () => toAnswer('UP', { status: 'UP' })),
    plainRoute(api.getReadiness, async () => {
      const status = server.stopping.aborted ? 'DOWN' : await watch().readWorst(neededToServe);
      return toAnswer(status, { status });
    }),
    plainRoute({ ...api.getMetrics, access: metricsAccess }, async ({ caller }) => {
      const seesAll = isOpen || (await maySeeAll(caller));
      const { metrics } = server;
      const scraped =
        seesAll || caller.kind !== 'user' ? metrics.scrape() : metrics.scrapeTenant(caller.actor.tenantId);
      const { contentType, body } = await scraped;
      return { headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body };
    }),
    plainRoute(api.listCircuitBreakers, async ({ caller }) => {
      const seesAll = await maySeeAll(caller);
      const views = server.breakers.list().map(({ name, ...view }) => [name, seesAll ? view : { state: view.state }]);
      const circuitBreakers = Object.fromEntries(views);
      return toAnswer('UP', { circuitBreakers });
    }),
  ];
}

/** Without permission for details, damage of one tenant's files is not part of the service's state. */
const toScope = (caller: Caller): HealthScope => {
  if (!isOperator(caller)) return 'none';
  if (caller.kind !== 'user' || caller.actor.permissions.has('installation:admin')) return 'all';
  return caller.actor.tenantId;
};

const toAnswer = (status: api.HealthStatus, body: object): PlainAnswer => ({
  status: status === 'DOWN' ? 503 : 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});
