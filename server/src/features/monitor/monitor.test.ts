// Health endpoints and probes: overall status, timeouts, caching of checks, liveness and readiness.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { movableClock } from '../../../../test/support/clock.ts';
import { openTestHttp, operatorToken, tokenFor } from '../../../../test/support/http.ts';
import { readConfig } from '../../config/config.ts';
import { CircuitBreakers } from '../../platform/circuit-breaker.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { ClusterServers } from '../../platform/server.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { openMetrics } from '../../platform/telemetry/metrics.ts';
import type { FullHealth } from './health-watch.ts';
import { databaseProbe, encryptionProbe, outboxProbe, sagaProbe, serviceProbe, storageProbe } from './index.ts';
import { namesAes, toOutboxHealth, toSagaHealth, toStorageHealth } from './probes.ts';
import { monitorRoutes } from './routes.ts';

const clusterServers: ClusterServers = { isPresenceHeld: () => true, listNewerSteps: async () => [] };
const sqlite = { engine: 'sqlite', check: { state: { kind: 'sound' } }, clusterServers } as const;
const config = await readConfig([], {});
const thresholds = config.health;
const node = (name: string, online: boolean) => ({ node: name, online });

const healthyProbes: HealthProbe[] = [
  databaseProbe(async () => 1, sqlite),
  serviceProbe('redis', () => ({ mode: 'embedded' })),
  serviceProbe('rabbit', () => ({ mode: 'embedded' })),
  storageProbe(async () => [node('a', true), node('b', true)]),
  sagaProbe(async () => ({ running: 1, failed: 0, pendingCompensation: 0 }), thresholds),
  outboxProbe(async () => ({ pending: 2, failed: 0 }), thresholds),
  encryptionProbe({ id: 'local' }, async () => []),
];

const failing = (name: string, error: unknown): HealthProbe => ({
  name,
  check: async () => {
    throw error;
  },
});

/** The healthy probes with those of the same name replaced. */
const withProbes = (...changed: HealthProbe[]): HealthProbe[] =>
  healthyProbes.map(probe => changed.find(other => other.name === probe.name) ?? probe);

type Changed = Partial<Parameters<typeof monitorRoutes>[0]> & {
  readonly health?: readonly HealthProbe[];
  readonly maySeeAll?: boolean;
};

function openMonitor({ health = healthyProbes, clock = movableClock(), maySeeAll = true, ...changed }: Changed = {}) {
  const server = {
    clock,
    log: silentLog,
    config,
    parts: [{ health }],
    metrics: openMetrics(),
    breakers: new CircuitBreakers(clock),
    stopping: new AbortController().signal,
    ...changed,
  };
  return openTestHttp(monitorRoutes(server, async () => maySeeAll));
}

const healthOf = async (response: Response) => (await response.json()) as FullHealth;

test('an operator sees all components of a healthy service', async () => {
  await using http = await openMonitor();
  const response = await http.get('/actuator/health', { token: operatorToken });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({
    status: 'UP',
    components: {
      db: { status: 'UP', details: { database: 'sqlite' } },
      redis: { status: 'UP', details: { mode: 'embedded' } },
      rabbit: { status: 'UP', details: { mode: 'embedded' } },
      s3Storage: { status: 'UP', details: { healthyNodes: 2, totalNodes: 2 } },
      saga: { status: 'UP', details: { running: 1, failed: 0, pendingCompensation: 0 } },
      outbox: { status: 'UP', details: { pending: 2, failed: 0 } },
      encryption: {
        status: 'UP',
        details: { algorithm: 'AES-256-GCM', likelyHasAesNi: expect.any(Boolean), keyProvider: 'local' },
      },
    },
  });
});

test.each([
  ['an account with system:metrics', tokenFor('system:metrics'), true],
  ['an account without system:metrics', tokenFor('file:read'), false],
  ['a client with an invalid token', 'forged', false],
  ['a client without a token', undefined, false],
])('%s sees the health details or only the status: %#', async (_who, token, seesDetails) => {
  await using http = await openMonitor();
  const response = await http.get('/actuator/health', token === undefined ? {} : { token });
  expect(response.status).toBe(200);
  expect(Object.keys(await healthOf(response))).toEqual(seesDetails ? ['status', 'components'] : ['status']);
});

test('with several tenants a user sees the status of components without installation-wide counts', async () => {
  await using http = await openMonitor({ maySeeAll: false });
  const token = tokenFor('system:metrics');
  const { components } = await healthOf(await http.get('/actuator/health', { token }));
  expect(components).toMatchObject({ saga: { status: 'UP' }, s3Storage: { details: { totalNodes: 2 } } });
  expect([components.saga?.details, components.outbox?.details]).toEqual([undefined, undefined]);
  for (const path of ['/actuator/prometheus', '/actuator/circuitbreakers'])
    expect((await http.get(path, { token })).status).toBe(200);
});

test('the worst component determines the status, and DEGRADED responds with 200', async () => {
  await using http = await openMonitor({
    health: withProbes(storageProbe(async () => [node('a', true), node('b', false)])),
  });
  const response = await http.get('/actuator/health');
  expect([response.status, await response.json()]).toEqual([200, { status: 'DEGRADED' }]);
});

test('a failing component makes the service DOWN, and reports an error code without the message', async () => {
  const lines: string[] = [];
  const error = Object.assign(new Error('connect to postgres://rp:hunter2@db failed'), { code: 'ECONNREFUSED' });
  await using http = await openMonitor({
    health: withProbes(failing('db', error)),
    log: pino({ level: 'info' }, { write: line => void lines.push(line) }),
  });
  const response = await http.get('/actuator/health', { token: operatorToken });
  const text = await response.text();
  expect(response.status).toBe(503);
  expect(JSON.parse(text).components.db).toEqual({ status: 'DOWN', details: { error: 'ECONNREFUSED' } });
  expect(text).not.toContain('hunter2');
  await http.get('/actuator/health');
  expect(lines.filter(line => line.includes('db is DOWN'))).toHaveLength(1);
});

test('a component that does not respond is DOWN after two seconds and delays no others', async () => {
  const hanging: HealthProbe = { name: 'redis', check: () => new Promise(() => {}) };
  await using http = await openMonitor({ health: withProbes(hanging) });
  const { components } = await healthOf(await http.get('/actuator/health', { token: operatorToken }));
  expect(components.redis).toEqual({ status: 'DOWN', details: { error: 'no answer within 2000 ms' } });
  expect(components.db?.status).toBe('UP');
});

test('each component is checked at most once a second', async () => {
  const clock = movableClock();
  let asked = 0;
  await using http = await openMonitor({ clock, health: [databaseProbe(async () => ++asked, sqlite)] });
  const paths = ['/actuator/health', '/actuator/health/readiness', '/actuator/health', '/actuator/health/readiness'];
  await Promise.all(paths.map(path => http.get(path)));
  expect(asked).toBe(1);
  clock.advance(1000);
  await http.get('/actuator/health');
  expect(asked).toBe(2);
});

test('a server overtaken by a newer version, or unknown to other servers, is DEGRADED with the reason', async () => {
  const statusOf = async (other: Partial<ClusterServers>) => {
    const probe = databaseProbe(async () => 1, { ...sqlite, clusterServers: { ...clusterServers, ...other } });
    await using http = await openMonitor({ health: [probe] });
    return (await healthOf(await http.get('/actuator/health', { token: operatorToken }))).components.db;
  };
  const overtaken = await statusOf({ listNewerSteps: async () => ['V9.0 of tomorrow'] });
  expect(overtaken).toMatchObject({ status: 'DEGRADED', details: { newerSteps: ['V9.0 of tomorrow'] } });
  const error = expect.stringContaining('do not know');
  expect(await statusOf({ isPresenceHeld: () => false })).toMatchObject({ status: 'DEGRADED', details: { error } });
});

test('liveness checks no component', async () => {
  await using http = await openMonitor({
    health: withProbes(failing('db', new Error('gone'))),
    stopping: AbortSignal.abort(),
  });
  const response = await http.get('/actuator/health/liveness');
  expect([response.status, await response.json()]).toEqual([200, { status: 'UP' }]);
});

test.each(['db', 's3Storage', 'encryption'])('a server without %s is not ready', async name => {
  await using http = await openMonitor({ health: withProbes(failing(name, new Error('gone'))) });
  const response = await http.get('/actuator/health/readiness');
  expect([response.status, await response.json()]).toEqual([503, { status: 'DOWN' }]);
});

test.each(['redis', 'rabbit', 'saga', 'outbox'])('a server with only %s failing is ready', async name => {
  await using http = await openMonitor({ health: withProbes(failing(name, new Error('gone'))) });
  expect((await http.get('/actuator/health/readiness')).status).toBe(200);
  expect((await http.get('/actuator/health')).status).toBe(503);
});

test('a server that is shutting down is not ready', async () => {
  const stopping = new AbortController();
  await using http = await openMonitor({ stopping: stopping.signal });
  expect((await http.get('/actuator/health/readiness')).status).toBe(200);
  stopping.abort();
  expect((await http.get('/actuator/health/readiness')).status).toBe(503);
});

test.each(['/actuator/prometheus', '/actuator/circuitbreakers'])('%s is accessible to operators only', async path => {
  await using http = await openMonitor();
  expect((await http.get(path)).status).toBe(401);
  expect((await http.get(path, { token: 'forged' })).status).toBe(401);
  expect((await http.get(path, { token: tokenFor('system:admin') })).status).toBe(403);
  expect((await http.get(path, { token: tokenFor('system:metrics') })).status).toBe(200);
  expect((await http.get(path, { token: operatorToken })).status).toBe(200);
});

test('metrics are returned in Prometheus text format, and without a token if the configuration allows it', async () => {
  await using http = await openMonitor({ config: { ...config, http: { ...config.http, openMetrics: true } } });
  const response = await http.get('/actuator/prometheus');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await response.text()).toContain('# TYPE metrics_read_failures_total counter\n');
});

test('circuit breakers are listed by name', async () => {
  const breakers = new CircuitBreakers(movableClock());
  const chain = breakers.add('chain');
  while (chain.view().state !== 'OPEN') await chain.run(() => Promise.reject(new Error('gone'))).catch(() => undefined);
  await using http = await openMonitor({ breakers });
  const response = await http.get('/actuator/circuitbreakers', { token: operatorToken });
  const { name: _, ...view } = chain.view();
  expect(await response.json()).toEqual({ circuitBreakers: { chain: view } });
});

test.each([
  [{ pending: 500, failed: 20 }, 'UP'],
  [{ pending: 501, failed: 20 }, 'DEGRADED'],
  [{ pending: 501, failed: 21 }, 'DOWN'],
])('an outbox with %o is %s', (counts, status) => {
  expect(toOutboxHealth(counts, thresholds)).toEqual({ status, details: counts });
});

test.each([
  [{ running: 100, failed: 10, pendingCompensation: 50 }, 'UP'],
  [{ running: 101, failed: 10, pendingCompensation: 50 }, 'DEGRADED'],
  [{ running: 0, failed: 0, pendingCompensation: 51 }, 'DEGRADED'],
  [{ running: 101, failed: 11, pendingCompensation: 51 }, 'DOWN'],
])('sagas with %o are %s', (counts, status) => {
  expect(toSagaHealth(counts, thresholds)).toEqual({ status, details: counts });
});

test('a store without a healthy node is DOWN, also without any node', () => {
  expect(toStorageHealth([node('a', false)]).status).toBe('DOWN');
  expect(toStorageHealth([]).status).toBe('DOWN');
});

test('an external service reports its details, and is DOWN when it is not connected', async () => {
  const { signal } = new AbortController();
  const probe = serviceProbe('redis', () => ({ mode: 'redis', connected: false, latencyMs: 3 }));
  expect(await probe.check(signal)).toEqual({ status: 'DOWN', details: { mode: 'redis', latencyMs: 3 } });
});

test('AES support is detected from the flags of the processor', () => {
  expect(namesAes('processor\t: 0\nflags\t\t: fpu sse4_2 aes avx\n')).toBe(true);
  expect(namesAes('Features\t: fp asimd aes pmull\n')).toBe(true);
  expect(namesAes('flags\t\t: fpu vaes sse\nmodel name\t: aes\n')).toBe(false);
});
