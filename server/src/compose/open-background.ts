// Background work: jobs, schedules, event delivery and sagas, collected from the features.

import type { FeatureParts } from '../platform/feature-parts.ts';
import { type JobHandler, JobReschedule } from '../platform/jobs/jobs.ts';
import { openWorker, type Worker } from '../platform/jobs/worker.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import type { EventExporter } from '../platform/outbox/exporter.ts';
import { openExporter } from '../platform/outbox/open-exporter.ts';
import { type Outbox, openOutbox } from '../platform/outbox/open-outbox.ts';
import type { SagaStatus } from '../platform/saga/migrations.ts';
import { openSagas, type Sagas } from '../platform/saga/open-sagas.ts';
import type { Platform, Server } from '../platform/server.ts';
import {
  declarePlatformMetrics,
  type OutboxCounts,
  type PlatformReadings,
  type SagaCounts,
  type SagaOutcome,
  type StorageNode,
} from '../platform/telemetry/platform-metrics.ts';
import { withTrace } from '../platform/telemetry/trace-context.ts';

export type Background = {
  readonly worker: Worker;
  readonly outbox: Outbox;
  readonly sagas: Sagas;
  /** Null without a broker. */
  readonly exporter: EventExporter | null;
};

type Opened = Platform & Pick<Server, 'findMaintenance'>;

export async function openBackground(
  { database, clock, log, metrics, objects, breakers, tracing, reserve, config, findMaintenance }: Opened,
  parts: readonly FeatureParts[],
  opening: AsyncDisposableStack,
  graceMs: () => number,
): Promise<Background> {
  const { db, kind: engine } = database;
  const consumers = parts.flatMap(part => part.consumers ?? []);
  const exporter = opening.use(await openExporter(config.outbox, { log, breakers }));
  const observe = declarePlatformMetrics(metrics, await toReadings(objects, () => ({ outbox, sagas })), clock);
  const outbox: Outbox = openOutbox({
    db,
    engine,
    clock,
    log,
    consumers,
    exporter,
    observeLatency: observe.eventPublished,
    observeFailure: observe.eventFailed,
  });
  const sagas: Sagas = openSagas({
    db,
    clock,
    log,
    sagas: parts.flatMap(part => part.sagas ?? []),
    runJob: id => worker.runNow(id),
    observeEnd: (status, seconds) => observe.sagaEnded(outcomeOf[status] ?? 'failed', seconds),
  });
  const worker: Worker = openWorker({
    db: database.unsynced, // a lost claim or end is what a crash leaves, too
    engine,
    clock,
    log,
    tracing,
    handlers: [...sagas.handlers, ...parts.flatMap(part => part.jobs ?? [])].map(handler =>
      pausedInMaintenance(handler, findMaintenance),
    ),
    schedules: [...sagas.schedules, ...parts.flatMap(part => part.schedules ?? [])],
    setHandlers: outbox.setHandlers,
  });
  reserve.onRestored(() => worker.retryLackingSpace());
  opening.defer(() => worker.stop(graceMs()));
  opening.defer(
    database.workNotifier.listen(({ now, coalesced }) =>
      withTrace(undefined, () => {
        worker.wake(now);
        worker.wakeCoalesced(coalesced);
      }),
    ),
  );
  return { worker, outbox, sagas, exporter };
}

/** Its jobs wait until maintenance ends; running ones finish. */
const pausedInMaintenance = (handler: JobHandler, find: Server['findMaintenance']): JobHandler =>
  handler.runsInMaintenance === true
    ? handler
    : {
        ...handler,
        run: async job => {
          if ((await find()) !== undefined) throw new JobReschedule(maintenancePauseSeconds);
          await handler.run(job);
        },
      };

const maintenancePauseSeconds = 5;

const outcomeOf: Readonly<Partial<Record<SagaStatus, SagaOutcome>>> = {
  COMPLETED: 'completed',
  ABORTED: 'compensated',
};

type Counted = { readonly outbox: Outbox; readonly sagas: Sagas };

/** The gauges read parts that are opened later, so these are passed as functions. */
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
