// What goes on without a request: jobs, schedules, events on their way, sagas. Collected from the features.
import type { Config } from './config.ts';
import type { Platform } from './open-platform.ts';
import type { Feature } from './platform/feature.ts';
import { openWorker, type Worker } from './platform/jobs/worker.ts';
import { openTransport } from './platform/outbox/open-transport.ts';
import { type Outbox, openOutbox, toConsumerGroups } from './platform/outbox/outbox.ts';
import type { OutboxTransport } from './platform/outbox/transport.ts';

export type Background = {
  readonly worker: Worker;
  readonly outbox: Outbox;
  readonly transport: OutboxTransport;
};

export async function openBackground(
  { database, clock, log }: Platform,
  config: Config,
  features: readonly Feature[],
  opening: AsyncDisposableStack,
): Promise<Background> {
  const { db, kind: engine } = database;
  const consumers = features.flatMap(feature => feature.consumers ?? []);
  const transport = opening.use(await openTransport(config.outbox, { groups: toConsumerGroups(consumers), log }));
  const outbox = opening.use(await openOutbox({ db, engine, clock, log, transport, consumers }));
  const worker = openWorker({
    db,
    engine,
    clock,
    log,
    handlers: [...outbox.handlers, ...features.flatMap(feature => feature.jobs ?? [])],
    schedules: [...outbox.schedules, ...features.flatMap(feature => feature.schedules ?? [])],
    pumps: [outbox.pump],
  });
  opening.defer(() => worker.stop(config.http.shutdownGraceSeconds * 1000));
  opening.defer(database.bell.listen(() => worker.wake()));
  return { worker, outbox, transport };
}
