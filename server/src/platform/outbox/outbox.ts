// Events that happen when and only when their transaction does: written beside the change, carried to the consumers at
// least once, handled by each consumer exactly once, because it remembers the event in the transaction of its effects.
import type { Clock } from '../clock.ts';
import type { Db, Key, Time, Tx } from '../db/tables.ts';
import { announceWork } from '../db/work-bell.ts';
import { newTokenId, toKey } from '../ids.ts';
import { exponentialBackoff, type JobHandler } from '../jobs/jobs.ts';
import type { Schedule } from '../jobs/schedules.ts';
import type { Pump } from '../jobs/worker.ts';
import { Deliveries } from './deliveries.ts';
import { Publisher, type PublisherOptions } from './publisher.ts';
import { countEvents, type EventCounts, insertEvent, markHandled, sweepInbox } from './queries.ts';
import { type ConsumerGroup, encodeEvent, type OutboxEvent, type OutboxTransport } from './transport.ts';

export type NewEvent = {
  /** Words joined by dots, such as `file.stored`. */
  readonly type: string;
  /** Null for what concerns every tenant. */
  readonly tenantId: Key | null;
  /** Ids, not contents; at most 64 KiB of JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
};

export type Event = NewEvent & { readonly id: string; readonly createdAt: Time };

export type Consumer = {
  /** Small letters, digits, hyphens; what was handled is remembered under it. Never renamed. */
  readonly name: string;
  /** `file.stored`, `file.*` (one word), `file.#` (any words), `#` (all). */
  readonly types: readonly string[];
  /** Database effects only, all through `tx`; what is external becomes a job. Throwing means: again, later. */
  handle(tx: Tx, event: Event): Promise<void>;
  /** Called once the effects are committed, perhaps again; not called when the server dies in between. Must not throw. */
  committed?(event: Event): void;
};

const maxBytes = 64 * 1024;
const rememberedMs = 7 * 24 * 3600 * 1000;
const sweepBatch = 1000;

/** Writes the event with the caller's transaction and returns its id. Order is kept per tenant as well as can be. */
export async function emit(tx: Tx, { type, tenantId, payload }: NewEvent, now: Time): Promise<string> {
  const id = newTokenId();
  const onWire = encodeEvent({ id, type, tenantId: '', payload, createdAt: '' });
  if (onWire.length > maxBytes) throw new RangeError(`the event "${type}" is larger than 64 KiB; events carry ids.`);
  await insertEvent(tx, {
    event_id: id,
    type,
    tenant_id: tenantId,
    payload: JSON.stringify(payload),
    created_at: now,
  });
  await announceWork(tx);
  return id;
}

/** What the transport has to know before it is opened. */
export const toConsumerGroups = (consumers: readonly Consumer[]): ConsumerGroup[] =>
  consumers.map(({ name, types }) => ({ name, types }));

export type OutboxOptions = Omit<PublisherOptions, 'transport'> & {
  readonly transport: Pick<OutboxTransport, 'publish' | 'consume'>;
  readonly consumers: readonly Consumer[];
};

export type OutboxCounters = EventCounts & { readonly published: number; readonly failed: number };

export type Outbox = AsyncDisposable & {
  /** These three belong to the worker. */
  readonly pump: Pump;
  readonly handlers: readonly JobHandler[];
  readonly schedules: readonly Schedule[];
  /** What waits on all servers; what this one has published, and how often that failed. */
  counters(): Promise<OutboxCounters>;
};

/** Starts the consumers; publishing begins when the worker turns the pump. Disposing stops the consumers. */
export async function openOutbox(options: OutboxOptions): Promise<Outbox> {
  const { db, clock, transport, consumers } = options;
  const publisher = new Publisher(options);
  const consuming = await Promise.all(
    consumers.map(consumer => {
      const deliveries = new Deliveries(db, (tx, event) => handleOnce(tx, clock, consumer, toEvent(event)));
      return transport.consume(consumer.name, async event => {
        await deliveries.deliver(event);
        consumer.committed?.(toEvent(event));
      });
    }),
  );
  return {
    pump: { name: 'outbox', run: signal => publisher.run(signal) },
    handlers: [sweepHandler(db, clock)],
    schedules: [{ name: 'outbox-sweep', everySeconds: 3600, jobKind: 'outbox-sweep' }],
    counters: async () => ({ ...(await countEvents(db)), ...publisher.totals }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(consuming.map(consumer => consumer[Symbol.asyncDispose]()));
    },
  };
}

async function handleOnce(tx: Tx, clock: Clock, consumer: Consumer, event: Event): Promise<void> {
  if (await markHandled(tx, consumer.name, event.id, clock.now())) await consumer.handle(tx, event);
}

const toEvent = ({ id, type, tenantId, payload, createdAt }: OutboxEvent): Event => ({
  id,
  type,
  tenantId: tenantId === '' ? null : toKey(tenantId),
  payload,
  createdAt: Date.parse(createdAt),
});

const sweepHandler = (db: Db, clock: Clock): JobHandler => ({
  kind: 'outbox-sweep',
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(30, 300),
  run: async ({ signal }) => {
    while (!signal.aborted && (await sweepInbox(db, clock.now() - rememberedMs, sweepBatch)) === sweepBatch);
  },
});
