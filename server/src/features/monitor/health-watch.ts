// Asks every part how it is: all at once, none longer than two seconds, none more often than once a second however
// many ask. What a part says about its failure stays in the log; the answer carries its code only.
import type { ComponentHealth, HealthStatus } from '@recordproof/shared/api/monitor.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { Server } from '../../platform/server.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { openSharedRead, ReadTimeout } from '../../platform/telemetry/shared-read.ts';

export type FullHealth = {
  readonly status: HealthStatus;
  readonly components: Readonly<Record<string, ComponentHealth>>;
};

export type HealthWatch = {
  readAll(): Promise<FullHealth>;
  /** For one of several tenants: without details that count what the others have. */
  withoutCounts(health: FullHealth): FullHealth;
  /** The worst of the named parts; parts that are not there do not count. */
  readWorst(names: readonly string[]): Promise<HealthStatus>;
};

const keepMs = 1000;
const timeoutMs = 2000;

const severity: Readonly<Record<HealthStatus, number>> = { UP: 0, DEGRADED: 1, DOWN: 2 };

export const worstOf = (statuses: readonly HealthStatus[]): HealthStatus =>
  statuses.reduce((worst, status) => (severity[status] > severity[worst] ? status : worst), 'UP');

export function openHealthWatch(
  { clock, log }: Pick<Server, 'clock' | 'log'>,
  probes: readonly HealthProbe[],
): HealthWatch {
  const counting = new Set(probes.filter(probe => probe.countsAllTenants).map(({ name }) => name));
  const reads = new Map(
    probes.map(probe => {
      const report = openReport(probe.name, log);
      const read = openSharedRead(signal => probe.check(signal), { clock, keepMs, timeoutMs });
      return [probe.name, () => read().then(report, error => report(toDown(error), error))] as const;
    }),
  );
  return {
    readAll: async () => {
      const parts = await Promise.all([...reads].map(async ([name, read]) => [name, await read()] as const));
      return { status: worstOf(parts.map(([, part]) => part.status)), components: Object.fromEntries(parts) };
    },
    withoutCounts: ({ status, components }) => ({
      status,
      components: Object.fromEntries(
        Object.entries(components).map(([name, part]) => [name, counting.has(name) ? { status: part.status } : part]),
      ),
    }),
    readWorst: async names => {
      const parts = await Promise.all(names.map(name => reads.get(name)?.()));
      return worstOf(parts.map(part => part?.status ?? 'UP'));
    },
  };
}

/** Of all parts of the server. Parts that are watched may be opened after this is asked for. */
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

function toDown(error: unknown): ComponentHealth {
  return { status: 'DOWN', details: { error: error instanceof ReadTimeout ? error.message : toCode(error) } };
}

/** Messages may hold addresses and credentials; codes and class names do not. */
function toCode(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' && /^[\w.-]{1,64}$/.test(code)) return code;
  return typeof name === 'string' && /^\w{1,64}$/.test(name) ? name : 'unknown';
}

/** Passes a result on and logs it when it is another than before. */
function openReport(name: string, log: Log) {
  let last: HealthStatus = 'UP';
  return (part: ComponentHealth, err?: unknown): ComponentHealth => {
    if (part.status !== last) {
      const level = part.status === 'UP' ? 'info' : 'warn';
      log[level]({ component: name, was: last, details: part.details, err }, `${name} is ${part.status}`);
    }
    last = part.status;
    return part;
  };
}
