// Platform metrics under their specified names: sagas, the outbox, the nodes of the object store. Gauges are read at a
// scrape only.
import type { Clock } from '../clock.ts';
import type { Metrics } from './metrics.ts';
import { openSharedRead } from './shared-read.ts';

const sagaOutcomes = ['completed', 'compensated', 'failed'] as const;
export type SagaOutcome = (typeof sagaOutcomes)[number];

export type SagaCounts = { readonly running: number; readonly failed: number; readonly pendingCompensation: number };
export type OutboxCounts = { readonly pending: number; readonly failed: number };
export type StorageNode = {
  /** As configured; never a tenant's or a file's name. */
  readonly node: string;
  readonly online: boolean;
  /** 0 to 100; absent if the capacity is unknown. */
  readonly usagePercent?: number;
};

/** Sources of the gauges. Each is read at most once a second. */
export type PlatformReadings = {
  readonly saga: () => Promise<SagaCounts>;
  readonly outbox: () => Promise<OutboxCounts>;
  readonly storage: { readonly names: readonly string[]; readonly nodes: () => Promise<readonly StorageNode[]> };
};

type PlatformRecorder = {
  sagaEnded(outcome: SagaOutcome, seconds: number): void;
  /** Seconds from the commit of the event to its delivery. */
  eventPublished(seconds: number): void;
  eventFailed(): void;
};

const keepMs = 1000;
const timeoutMs = 2000;

export function declarePlatformMetrics(metrics: Metrics, readings: PlatformReadings, clock: Clock): PlatformRecorder {
  const limits = { clock, keepMs, timeoutMs };
  const readSaga = openSharedRead(readings.saga, limits);
  const readOutbox = openSharedRead(readings.outbox, limits);
  const gauges = [
    ['saga_running', 'Sagas under way', async () => (await readSaga()).running],
    [
      'saga_pending_compensation',
      'Sagas whose steps wait to be undone',
      async () => (await readSaga()).pendingCompensation,
    ],
    ['outbox_pending', 'Events that wait to be handed on', async () => (await readOutbox()).pending],
    ['outbox_exhausted', 'Events that failed for the last time', async () => (await readOutbox()).failed],
  ] as const;
  for (const [name, help, read] of gauges)
    metrics.gauge({ name, help, labels: {}, read: async () => [{ labels: {}, value: await read() }] });
  declareStorageGauges(metrics, readings.storage.names, openSharedRead(readings.storage.nodes, limits));
  const sagas = metrics.counter({
    name: 'saga_total',
    help: 'Sagas that came to an end, by how',
    labels: { status: sagaOutcomes },
  });
  const sagaDuration = metrics.timer({
    name: 'saga_duration',
    help: 'Time from the start of a saga to its end, in seconds',
    labels: {},
  });
  const events = metrics.counter({
    name: 'outbox_events_total',
    help: 'Attempts to hand on an event of the outbox, by result',
    labels: { status: ['published', 'failed'] },
  });
  const latency = metrics.timer({
    name: 'outbox_publish_latency',
    help: 'Time from the commit of an event to its delivery, in seconds',
    labels: {},
  });
  return {
    sagaEnded: (status, seconds) => {
      sagas.add({ status });
      sagaDuration.observe({}, seconds);
    },
    eventPublished: seconds => {
      events.add({ status: 'published' });
      latency.observe({}, seconds);
    },
    eventFailed: () => events.add({ status: 'failed' }),
  };
}

function declareStorageGauges(
  metrics: Metrics,
  names: readonly string[],
  read: () => Promise<readonly StorageNode[]>,
): void {
  const labels = { node: names };
  const readOnline = async () =>
    (await read()).map(({ node, online }) => ({ labels: { node }, value: online ? 1 : 0 }));
  metrics.gauge({
    name: 's3_node_online_status',
    help: 'Whether a node of the object store answers: 1 or 0',
    labels,
    read: readOnline,
    readTenant: readOnline,
  });
  metrics.gauge({
    name: 's3_node_usage_percent',
    help: 'Share of the capacity of a node of the object store that is used, 0 to 100',
    labels,
    read: async () =>
      (await read()).flatMap(({ node, usagePercent }) =>
        usagePercent === undefined ? [] : [{ labels: { node }, value: usagePercent }],
      ),
  });
}
