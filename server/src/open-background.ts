// What goes on without a request: jobs, schedules, events on their way, sagas. Collected from the features.
import type { Config } from './config.ts';
import type { Platform } from './open-platform.ts';
import type { Feature } from './platform/feature.ts';
import { openWorker, type Worker } from './platform/jobs/worker.ts';
import type { ObjectStore } from './platform/objects/object-store.ts';
import { openTransport } from './platform/outbox/open-transport.ts';
import { type Outbox, openOutbox, toConsumerGroups } from './platform/outbox/outbox.ts';
import type { OutboxTransport } from './platform/outbox/transport.ts';
import type { SagaStatus } from './platform/saga/migrations.ts';
import { openSagas, type Sagas } from './platform/saga/open-sagas.ts';
import {
  declarePlatformMetrics,
  type OutboxCounts,
  type PlatformReadings,
  type SagaCounts,
  type SagaOutcome,
  type StorageNode,
} from './platform/telemetry/platform-metrics.ts';

export type Background = {
  readonly worker: Worker;
  readonly outbox: Outbox;
  readonly sagas: Sagas;
  readonly transport: OutboxTransport;
};

export async function openBackground(
  { database, clock, log, metrics, objects, breakers }: Platform,
  config: Config,
  features: readonly Feature[],
  opening: AsyncDisposableStack,
): Promise<Background> {
  const { db, kind: engine } = database;
  const consumers = features.flatMap(feature => feature.consumers ?? []);
  const groups = toConsumerGroups(consumers);
  const transport = opening.use(await openTransport(config.outbox, { groups, log, breakers }));
  const observe = declarePlatformMetrics(metrics, await toReadings(objects, () => ({ outbox, sagas })), clock);
  const outbox: Outbox = opening.use(
    await openOutbox({
      db,
      engine,
      clock,
      log,
      transport,
      consumers,
      observeLatency: observe.eventPublished,
      observeFailure: observe.eventFailed,
    }),
  );
  const sagas: Sagas = openSagas({
    db,
    clock,
    log,
    sagas: features.flatMap(feature => feature.sagas ?? []),
    runJob: id => worker.runNow(id),
    observeEnd: (status, seconds) => observe.sagaEnded(outcomeOf[status] ?? 'failed', seconds),
  });
  const worker: Worker = openWorker({
    db,
    engine,
    clock,
    log,
    handlers: [...outbox.handlers, ...sagas.handlers, ...features.flatMap(feature => feature.jobs ?? [])],
    schedules: [...outbox.schedules, ...sagas.schedules, ...features.flatMap(feature => feature.schedules ?? [])],
    pumps: [outbox.pump],
  });
  opening.defer(() => worker.stop(config.http.shutdownGraceSeconds * 1000));
  opening.defer(database.bell.listen(() => worker.wake()));
  return { worker, outbox, sagas, transport };
}

const outcomeOf: Readonly<Partial<Record<SagaStatus, SagaOutcome>>> = {
  COMPLETED: 'completed',
  ABORTED: 'compensated',
};

type Counted = { readonly outbox: Outbox; readonly sagas: Sagas };

/** The gauges read what is opened after them, so they ask for it when they are read. */
async function toReadings(objects: ObjectStore, counted: () => Counted): Promise<PlatformReadings> {
  const nodes = () => listStorageNodes(objects);
  return {
    saga: () => countSagas(counted().sagas),
    outbox: () => countEvents(counted().outbox),
    storage: { names: (await nodes()).map(({ node }) => node), nodes },
  };
}

export async function listStorageNodes(objects: ObjectStore): Promise<StorageNode[]> {
  return (await objects.probe()).nodes.map(({ name, ...node }) => ({ node: name, ...node }));
}

export async function countEvents(outbox: Outbox): Promise<OutboxCounts> {
  const { pending, exhausted } = await outbox.counters();
  return { pending, failed: exhausted };
}

export async function countSagas(sagas: Sagas): Promise<SagaCounts> {
  const { running, failed, compensating } = await sagas.counters();
  return { running, failed, pendingCompensation: compensating };
}
