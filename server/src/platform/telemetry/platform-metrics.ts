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
const one = (value: number) => [{ labels: {}, value }];

export function declarePlatformMetrics(metrics: Metrics, readings: PlatformReadings, clock: Clock): PlatformRecorder {
  const limits = { clock, keepMs, timeoutMs };
  declareSagaGauges(metrics, openSharedRead(readings.saga, limits));
  declareOutboxGauges(metrics, openSharedRead(readings.outbox, limits));
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

function declareSagaGauges(metrics: Metrics, read: () => Promise<SagaCounts>): void {
  metrics.gauge({
    name: 'saga_running',
    help: 'Sagas under way',
    labels: {},
    read: async () => one((await read()).running),
  });
  metrics.gauge({
    name: 'saga_pending_compensation',
    help: 'Sagas whose steps wait to be undone',
    labels: {},
    read: async () => one((await read()).pendingCompensation),
  });
}

function declareOutboxGauges(metrics: Metrics, read: () => Promise<OutboxCounts>): void {
  metrics.gauge({
    name: 'outbox_pending',
    help: 'Events that wait to be handed on',
    labels: {},
    read: async () => one((await read()).pending),
  });
  metrics.gauge({
    name: 'outbox_exhausted',
    help: 'Events that failed for the last time',
    labels: {},
    read: async () => one((await read()).failed),
  });
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
