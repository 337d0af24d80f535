// Events that happen when and only when their transaction does. An event is a job, written beside the change: where one
// consumer wants it, that one has it at once; where several do, it becomes a job for each of them. A consumer's effects
// and the end of its job are one transaction, so each is handled exactly once, and those of a tenant in their order.
import type { Key, Time, Tx } from '../db/tables.ts';
import { newTokenId } from '../ids.ts';
import { enqueueAll } from '../jobs/jobs.ts';

/** The kind of job of an event whose consumers are still to be found. */
export const eventKind = 'event';

export type NewEvent = {
  /** Words joined by dots, such as `file.stored`. */
  readonly type: string;
  /** Null for what concerns every tenant. */
  readonly tenantId: Key | null;
  /** Ids, not contents; at most 64 KiB of JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Nobody waits for what it brings about: it is handled with others that come in the same moment. */
  readonly isPatient?: boolean;
};

/** `id` is random, so that a restored backup never hands out one that somebody outside holds. */
export type Event = Omit<NewEvent, 'isPatient'> & { readonly id: string; readonly createdAt: Time };

export type Consumer = {
  /** Small letters, digits, hyphens; jobs are kept under it. Never renamed. */
  readonly name: string;
  readonly types: readonly string[];
  /**
   * Given are events of one tenant, in their order. Database effects only, all through `tx`; what is external becomes a
   * job. Throwing means: again, later, each by itself.
   */
  handle(tx: Tx, events: readonly Event[]): Promise<void>;
  /** Called once the effects are committed; not called when the server dies in between. Must not throw. */
  committed?(event: Event): void;
};

const typePattern = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const maxTypeLength = 255;

function toJob({ type, tenantId, payload, isPatient = false }: NewEvent) {
  if (type.length > maxTypeLength || !typePattern.test(type)) throw new RangeError('an event type is words and dots');
  return { kind: eventKind, isPatient, payload: { id: newTokenId(), type, tenantId, payload } };
}

/** Writes the events, in their order, with the caller's transaction. */
export const emitAll = (tx: Tx, events: readonly NewEvent[], now: Time): Promise<void> =>
  enqueueAll(tx, events.map(toJob), now);

export const emit = (tx: Tx, event: NewEvent, now: Time): Promise<void> => emitAll(tx, [event], now);
