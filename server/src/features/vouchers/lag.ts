// Lag of the vouchers behind the ledger: for health, metrics and administrators.
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import { toIso } from '../../platform/clock.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { Server } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { findNewestCheckpoint } from '../chain/index.ts';
import { countPending, findPublishedAfter, findTarget, listForks } from './queries.ts';
import type { VoucherTarget } from './targets.ts';

type LedgerConfig = Server['config']['ledger'];
type Measuring = Pick<Server, 'database' | 'clock' | 'config' | 'metrics'>;

type TargetLag = {
  readonly name: string;
  readonly vouchedSize: number;
  /** Entries without its voucher. */
  readonly lagEntries: number;
  /** The age of the oldest checkpoint without its voucher; 0 if there is none. */
  readonly lagSeconds: number;
  /** Since its last voucher. */
  readonly failures: number;
  /** For a target with several sources, also if another of them succeeded. */
  readonly error: string | null;
};

type Lag = {
  readonly targets: readonly TargetLag[];
  /** Of the quorum: the lag of the slowest target that it needs. */
  readonly lagSeconds: number;
  /** Names of the quorum and of targets beyond their allowed lag. */
  readonly late: readonly string[];
  readonly forks: readonly string[];
  readonly pending: Awaited<ReturnType<typeof countPending>>;
};

const lateSeconds = 300;
const shared = { keepMs: 1000, timeoutMs: 2000 } as const;

async function readLag({ database: { db }, clock, config }: Measuring, all: readonly VoucherTarget[]): Promise<Lag> {
  const targets: TargetLag[] = [];
  const ofWitnesses: number[] = [];
  const lateTargets: string[] = [];
  const newest = (await findNewestCheckpoint(db))?.size ?? 0;
  for (const target of all) {
    const { name } = target;
    const { vouched_size: vouchedSize, last_error: error, failures } = await findTarget(db, name);
    const publishedAt = await findPublishedAfter(db, vouchedSize);
    const lagSeconds = publishedAt === null ? 0 : Math.max(0, Math.round((clock.now() - publishedAt) / 1000));
    const lagEntries = Math.max(0, newest - vouchedSize);
    targets.push({ name, vouchedSize, lagEntries, lagSeconds, failures, error });
    if (target.kind === 'WITNESS') ofWitnesses.push(lagSeconds);
    else if (lagSeconds > mostSeconds(target)) lateTargets.push(name);
  }
  const lagSeconds = ofWitnesses.toSorted((a, b) => a - b)[config.ledger.quorum - 1] ?? 0;
  const late = [...(lagSeconds > lateSeconds ? ['the quorum of witnesses'] : []), ...lateTargets];
  return { targets, lagSeconds, late, forks: await listForks(db), pending: await countPending(db) };
}

const mostSeconds = ({ pauseMs, maxWaitMs }: VoucherTarget): number => (pauseMs + maxWaitMs) / 1000 + lateSeconds;

function toHealth(
  { targets, lagSeconds, late, forks, pending }: Lag,
  { quorum, calendars }: LedgerConfig,
): ComponentHealth {
  const shown = targets.map(
    ({ name, error, ...rest }) => [name, { ...rest, ...(error !== null && { error }) }] as const,
  );
  return {
    status: late.length > 0 || forks.length > 0 ? 'DEGRADED' : 'UP',
    details: {
      quorum,
      lagSeconds,
      targets: Object.fromEntries(shown),
      ...(late.length > 0 && { late }),
      ...(calendars.length > 0 && { pendingAnswers: toPending(pending) }),
      ...(forks.length > 0 && { error: `ledgers of peers that signed two trees of one size: ${forks.join(', ')}` }),
    },
  };
}

const toPending = ({ count, since, error }: Lag['pending']) => ({
  count,
  ...(since !== null && { since: toIso(since) }),
  ...(error !== null && { error }),
});

/** For a source that was queried without a valid answer. */
export type CountFailure = (source: string) => void;

export function openFailureCounter(
  { metrics }: Pick<Server, 'metrics'>,
  targets: readonly VoucherTarget[],
): CountFailure {
  const counter = metrics.counter({
    name: 'app_voucher_failures_total',
    help: 'Requests to witnesses, authorities and calendars that brought no voucher',
    labels: { target: targets.flatMap(({ sources }) => sources) },
  });
  return source => counter.add({ target: source });
}

/** Also declares the gauges. */
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
    name: 'app_voucher_lag_entries',
    help: 'Entries of the ledger that the target has not vouched for',
    labels: { target: names },
    read: async () =>
      (await read()).targets.map(({ name, lagEntries }) => ({ labels: { target: name }, value: lagEntries })),
  });
  server.metrics.gauge({
    name: 'app_voucher_pending',
    help: 'Answers of calendars that no block of Bitcoin attests yet',
    labels: {},
    read: async () => [{ labels: {}, value: (await read()).pending.count }],
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
    check: async () => toHealth(await read(), server.config.ledger),
  };
}
