// Health probes of all parts: run in parallel, for at most two seconds, and at most once a second for any number of
// requests. Error details stay in the log; the response has only their code.
import type { ComponentHealth, HealthStatus } from '@recordproof/shared/api/monitor.ts';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { Server } from '../../platform/server.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { openSharedRead, ReadTimeout } from '../../platform/telemetry/shared-read.ts';

export type FullHealth = {
  readonly status: HealthStatus;
  readonly components: Readonly<Record<string, ComponentHealth>>;
};

/** For parts with a state per tenant: those of all tenants, of none, or of one. */
export type HealthScope = 'all' | 'none' | Key;

export type HealthWatch = {
  readAll(scope: HealthScope): Promise<FullHealth>;
  /** For one of several tenants: without details that count data of other tenants. */
  withoutCounts(health: FullHealth): FullHealth;
  /** The worst state of the named parts; missing parts are ignored. */
  readWorst(names: readonly string[]): Promise<HealthStatus>;
};

const keepMs = 1000;
const timeoutMs = 2000;
const mostTenants = 1000;

const severity: Readonly<Record<HealthStatus, number>> = { UP: 0, DEGRADED: 1, DOWN: 2 };

export const worstOf = (statuses: readonly HealthStatus[]): HealthStatus =>
  statuses.reduce((worst, status) => (severity[status] > severity[worst] ? status : worst), 'UP');

function openHealthWatch({ clock, log }: Pick<Server, 'clock' | 'log'>, probes: readonly HealthProbe[]): HealthWatch {
  const counting = new Set(probes.filter(probe => probe.countsAllTenants).map(({ name }) => name));
  const share = (check: HealthProbe['check'], report: Report) => {
    const read = openSharedRead(check, { clock, keepMs, timeoutMs });
    return () => read().then(report, error => report(toDown(error), error));
  };
  const parts = new Map(
    probes.map(probe => [probe.name, { probe, read: share(probe.check, openReport(probe.name, log)) }] as const),
  );
  const ofTenants = new BoundedMap<string, () => Promise<ComponentHealth>>(mostTenants);
  const readTenant = (name: string, checkTenant: CheckTenant, tenantId: Key) => {
    const key = `${name}:${tenantId}`;
    const cached =
      ofTenants.use(key) ??
      share(
        () => checkTenant(tenantId),
        part => part,
      );
    ofTenants.set(key, cached);
    return cached();
  };
  const readPart = ({ probe, read }: Part, scope: HealthScope): Promise<ComponentHealth> | null => {
    const { name, checkTenant } = probe;
    if (checkTenant === undefined || scope === 'all') return read();
    return scope === 'none' ? null : readTenant(name, checkTenant, scope);
  };
  return {
    readAll: async scope => {
      const read = await Promise.all(
        [...parts].map(async ([name, part]) => [name, await readPart(part, scope)] as const),
      );
      const shown = read.filter((entry): entry is [string, ComponentHealth] => entry[1] !== null);
      return { status: worstOf(shown.map(([, part]) => part.status)), components: Object.fromEntries(shown) };
    },
    withoutCounts: ({ status, components }) => ({
      status,
      components: Object.fromEntries(
        Object.entries(components).map(([name, part]) => [name, counting.has(name) ? { status: part.status } : part]),
      ),
    }),
    readWorst: async names => {
      const read = await Promise.all(names.map(name => parts.get(name)?.read()));
      return worstOf(read.map(part => part?.status ?? 'UP'));
    },
  };
}

/** For all parts of the server. Parts may be registered after this call. */
export function watchParts(server: Pick<Server, 'clock' | 'log' | 'parts'>): () => HealthWatch {
  let opened: HealthWatch | undefined;
  return () => {
    opened ??= openHealthWatch(
      server,
      server.parts.flatMap(({ health }) => health ?? []),
    );
    return opened;
  };
}

/** One series per part. Call when all parts are registered. */
export function declareHealthMetrics(server: Pick<Server, 'metrics' | 'clock' | 'log' | 'parts'>): void {
  const watch = watchParts(server);
  server.metrics.gauge({
    name: 'app_health_component',
    help: 'State of a part of health: 0 UP, 1 DEGRADED, 2 DOWN',
    labels: { component: server.parts.flatMap(({ health = [] }) => health.map(({ name }) => name)) },
    read: async () =>
      Object.entries((await watch().readAll('all')).components).map(([component, { status }]) => ({
        labels: { component },
        value: severity[status],
      })),
  });
}

function toDown(error: unknown): ComponentHealth {
  return { status: 'DOWN', details: { error: error instanceof ReadTimeout ? error.message : toCode(error) } };
}

/** Messages may contain addresses and credentials; codes and class names do not. */
function toCode(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && /^[\w.-]{1,64}$/.test(code)) return code;
  return typeof name === 'string' && /^\w{1,64}$/.test(name) ? name : 'unknown';
}

type Report = (part: ComponentHealth, err?: unknown) => ComponentHealth;
type CheckTenant = NonNullable<HealthProbe['checkTenant']>;
type Part = { readonly probe: HealthProbe; readonly read: () => Promise<ComponentHealth> };

/** Passes a result on, and logs it if it has changed. */
function openReport(name: string, log: Log): Report {
  let last: HealthStatus = 'UP';
  return (part, err) => {
    if (part.status !== last) {
      const level = part.status === 'UP' ? 'info' : 'warn';
      log[level]({ component: name, was: last, details: part.details, err }, `${name} is ${part.status}`);
    }
    last = part.status;
    return part;
  };
}
