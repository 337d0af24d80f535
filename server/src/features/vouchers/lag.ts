// How far the vouchers are behind the ledger: for health, metrics and the monitor of administrators.
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { Server } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { findPublishedAfter, findTarget, listForks } from './queries.ts';
import type { VoucherTarget } from './targets.ts';

type Measuring = Pick<Server, 'database' | 'clock' | 'config' | 'metrics'>;

type TargetLag = {
  readonly name: string;
  readonly vouchedSize: number;
  /** How long the oldest checkpoint that it has not vouched for is published; 0 when there is none. */
  readonly lagSeconds: number;
  readonly error: string | null;
};

type Lag = {
  readonly targets: readonly TargetLag[];
  /** Of the quorum: that of the slowest target that it needs. */
  readonly lagSeconds: number;
  readonly forks: readonly string[];
};

const lateSeconds = 300;
const shared = { keepMs: 1000, timeoutMs: 2000 } as const;

async function readLag({ database: { db }, clock, config }: Measuring, all: readonly VoucherTarget[]): Promise<Lag> {
  const targets: TargetLag[] = [];
  for (const { name } of all) {
    const { vouched_size, last_error } = await findTarget(db, name);
    const publishedAt = await findPublishedAfter(db, vouched_size);
    const lagSeconds = publishedAt === null ? 0 : Math.max(0, Math.round((clock.now() - publishedAt) / 1000));
    targets.push({ name, vouchedSize: vouched_size, lagSeconds, error: last_error });
  }
  const lags = targets.map(({ lagSeconds }) => lagSeconds).sort((a, b) => a - b);
  return { targets, lagSeconds: lags[config.ledger.quorum - 1] ?? 0, forks: await listForks(db) };
}

function toHealth({ targets, lagSeconds, forks }: Lag, quorum: number): ComponentHealth {
  const shown = targets.map(
    ({ name, error, ...rest }) => [name, { ...rest, ...(error !== null && { error }) }] as const,
  );
  const isLate = lagSeconds > lateSeconds;
  return {
    status: isLate || forks.length > 0 ? 'DEGRADED' : 'UP',
    details: {
      quorum,
      lagSeconds,
      targets: Object.fromEntries(shown),
      ...(forks.length > 0 && { error: `ledgers of peers that signed two trees of one size: ${forks.join(', ')}` }),
    },
  };
}

/** Declares the gauges too. */
export function voucherProbe(server: Measuring, targets: readonly VoucherTarget[]): HealthProbe {
  const read = openSharedRead(() => readLag(server, targets), { clock: server.clock, ...shared });
  const names = targets.map(({ name }) => name);
  server.metrics.gauge({
    name: 'app_voucher_lag_seconds',
    help: 'Age of the oldest checkpoint that the target has not vouched for, in seconds',
    labels: { target: names },
    read: async () =>
      (await read()).targets.map(({ name, lagSeconds }) => ({ labels: { target: name }, value: lagSeconds })),
  });
  server.metrics.gauge({
    name: 'app_voucher_quorum_lag_seconds',
    help: 'Age of the oldest checkpoint that the quorum of witnesses has not vouched for, in seconds',
    labels: {},
    read: async () => [{ labels: {}, value: (await read()).lagSeconds }],
  });
  return {
    name: 'vouchers',
    countsAllTenants: true,
    check: async () => toHealth(await read(), server.config.ledger.quorum),
  };
}
