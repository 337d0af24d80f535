// Delivery of events to the consumers in this process: those of a tenant that are claimed together share a transaction,
// so that a burst costs few commits. If one of them fails, each gets its own transaction.
import type { Tx } from '../db/tables.ts';
import { inParallel } from '../in-parallel.ts';
import { enqueueAll, exponentialBackoff, JobAbort, type SetHandler } from '../jobs/jobs.ts';
import { type Claimed, finishAll, putBackAll } from '../jobs/queries.ts';
import { type RunContext, recordResult } from '../jobs/run-job.ts';
import { type Consumer, type Event, eventKind } from './outbox.ts';

const kindOf = (consumer: Consumer): string => `${eventKind}.${consumer.name}`;

export const leaseSeconds = 60;
const tenantsAtOnce = 8;
const defaultAttempts = 20;
const backoffSeconds = exponentialBackoff(1, 300);

export type DeliverContext = Omit<RunContext, 'stopping' | 'random'> & {
  readonly random?: () => number;
  /** Failures before an event is dead; default 20, which takes about an hour. */
  readonly maxAttempts?: number;
  readonly observer: { published(event: Event): void; failed(): void };
};

export type Delivery = Claimed & { readonly event: Event };

export const toDelivery = (job: Claimed): Delivery => {
  const event = JSON.parse(job.payload) as Omit<Event, 'createdAt'>;
  return { ...job, event: { ...event, createdAt: job.created_at } };
};

/** The kinds of jobs that an event becomes. If the only one is a consumer's, it is handled at once. */
type Route = (event: Event) => readonly string[];

type Delivering = DeliverContext & {
  readonly consumers: readonly Consumer[];
  readonly route: Route;
  readonly stopping: AbortSignal;
};

/** `others`: kinds of jobs that every event becomes in addition. */
export function openDeliveries(
  context: DeliverContext,
  consumers: readonly Consumer[],
  others: readonly string[],
): SetHandler[] {
  const find: Route = ({ type }) => [...consumers.filter(({ types }) => types.includes(type)).map(kindOf), ...others];
  const routes = new Map<string, Route>([[eventKind, find]]);
  for (const consumer of consumers) routes.set(kindOf(consumer), () => [kindOf(consumer)]);
  return [...routes].map(([kind, route]) => ({
    kind,
    leaseSeconds,
    runSet: async (jobs, stopping) => {
      const delivering = { ...context, consumers, route, stopping };
      const deliveries = await markExhaustedDead(delivering, jobs.map(toDelivery));
      const tenants = [...Map.groupBy(deliveries, ({ event }) => event.tenantId).values()];
      await inParallel(tenants, each => deliver(delivering, each), tenantsAtOnce);
    },
  }));
}

/** Marks events dead that were claimed too often without a result; returns the others. */
async function markExhaustedDead(context: Delivering, deliveries: readonly Delivery[]): Promise<Delivery[]> {
  const isWorn = ({ attempt }: Delivery) => attempt > (context.maxAttempts ?? defaultAttempts);
  for (const one of deliveries.filter(isWorn)) {
    const { event, attempt } = one;
    const message = `event ${event.id} (${event.type}) was claimed ${attempt} times, and its last delivery did not finish, as after a crash of the server; check its log, then retry the event`;
    await failed(context, one, new JobAbort(message));
  }
  return deliveries.filter(one => !isWorn(one));
}

async function deliver(context: Delivering, deliveries: readonly Delivery[]): Promise<void> {
  if (context.stopping.aborted) return putBackAll(context.db, deliveries, context.clock.now());
  try {
    const handled = await context.db.transaction().execute(tx => handleAll(tx, context, deliveries));
    for (const { consumer, event } of handled) {
      context.observer.published(event);
      consumer.committed?.(event);
    }
  } catch (error) {
    const [first, ...company] = deliveries;
    if (first && company.length === 0) return failed(context, first, error);
    for (const one of deliveries) await deliver(context, [one]);
  }
}

type Routed = { readonly event: Event; readonly trace: string | null; readonly kinds: readonly string[] };

/** Each job continues the trace of its own event. */
const toJobs = ({ event: { createdAt: _, ...payload }, trace, kinds }: Routed) =>
  kinds.map(kind => ({ kind, payload, trace }));

type Handled = { readonly consumer: Consumer; readonly event: Event };

/** Consumers run in a fixed order, so that transactions cannot deadlock. */
async function handleAll(
  tx: Tx,
  { consumers, route }: Delivering,
  deliveries: readonly Delivery[],
): Promise<Handled[]> {
  const finished = await finishAll(tx, deliveries);
  const routed = finished.map(({ event, trace }) => ({ event, trace, kinds: route(event) }));
  const handled: Handled[] = [];
  for (const consumer of consumers) {
    const own = routed.filter(({ kinds }) => kinds.length === 1 && kinds[0] === kindOf(consumer));
    if (own.length === 0) continue;
    const events = own.map(({ event }) => event);
    await consumer.handle(tx, events);
    handled.push(...events.map(event => ({ consumer, event })));
  }
  const done = new Set(handled.map(({ event }) => event));
  const passedOn = Map.groupBy(
    routed.filter(({ event }) => !done.has(event)),
    ({ event }) => event.createdAt,
  );
  for (const [createdAt, some] of passedOn) await enqueueAll(tx, some.flatMap(toJobs), createdAt);
  return handled;
}

/** Records the failure of an event. */
export async function failed(
  context: DeliverContext & { readonly stopping: AbortSignal },
  delivery: Delivery,
  error: unknown,
): Promise<void> {
  const { random = Math.random, maxAttempts = defaultAttempts, observer } = context;
  const outcome = await recordResult({ ...context, random }, { maxAttempts, backoffSeconds }, delivery, {
    ok: false,
    error,
  });
  if (outcome === 'retry' || outcome === 'dead') observer.failed();
}
