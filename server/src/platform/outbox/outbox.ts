// Transactional outbox. An event is a job, written in the transaction of the change: with one consumer it is handled at
// once, with several it becomes a job for each. A consumer's effects and the end of its job are one transaction, so
// each event is handled exactly once, and a tenant's events in order.
import type { Engine } from '../db/open-db.ts';
import type { Key, Time, Tx } from '../db/tables.ts';
import type { Write } from '../db/write-together.ts';
import { newTokenId } from '../ids.ts';
import { enqueueAll, enqueueWith } from '../jobs/jobs.ts';

/** The job kind of an event that is not yet routed to its consumers. */
export const eventKind = 'event';

export type NewEvent = {
  /** Words joined by dots, such as `file.stored`. */
  readonly type: string;
  /** Null for events of all tenants. */
  readonly tenantId: Key | null;
  /** Ids, not contents; at most 64 KiB of JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Background event: it may be coalesced with others. */
  readonly isCoalesced?: boolean;
};

/** `id` is random, so that a restored backup never reuses an id known to an external system. */
export type Event = Omit<NewEvent, 'isCoalesced'> & { readonly id: string; readonly createdAt: Time };

export type Consumer = {
  /** Lowercase letters, digits, hyphens; part of the job kind. Never renamed. */
  readonly name: string;
  readonly types: readonly string[];
  /**
   * Gets events of one tenant, in order. Database effects only, all through `tx`; external effects become jobs. If it
   * throws, the events are retried one by one.
   */
  handle(tx: Tx, events: readonly Event[]): Promise<void>;
  /** Called after the commit, except if the server dies in between. Must not throw. */
  committed?(event: Event): void;
};

const typePattern = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const maxTypeLength = 255;

function toJob({ type, tenantId, payload, isCoalesced = false }: NewEvent) {
  if (type.length > maxTypeLength || !typePattern.test(type))
    throw new RangeError(`internal: the event type "${type}" must be words joined by dots`);
  return { kind: eventKind, isCoalesced, payload: { id: newTokenId(), type, tenantId, payload } };
}

/** Writes the events in order, in the caller's transaction. */
export const emitAll = (tx: Tx, events: readonly NewEvent[], now: Time): Promise<void> =>
  enqueueAll(tx, events.map(toJob), now);

/** As `emitAll`, together with another write; returns how many rows that has written. */
export const emitWith = (
  tx: Tx,
  engine: Engine,
  write: Write,
  events: readonly NewEvent[],
  now: Time,
): Promise<number> => enqueueWith(tx, engine, write, events.map(toJob), now);

export const emit = (tx: Tx, event: NewEvent, now: Time): Promise<void> => emitAll(tx, [event], now);
