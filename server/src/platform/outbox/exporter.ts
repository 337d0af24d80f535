// Event export to a broker, if one is configured: at least once, and in order as long as nothing fails. The server
// itself never depends on its delivery.

import type { CircuitOpenError } from '../circuit-breaker.ts';
import { toIso } from '../clock.ts';
import { toWireId } from '../ids.ts';
import type { SetHandler } from '../jobs/jobs.ts';
import { finishAll, putBackAll } from '../jobs/queries.ts';
import { type DeliverContext, type Delivery, failed, leaseSeconds, toDelivery } from './deliver.ts';
import { type Event, eventKind } from './outbox.ts';

/** The exported form. */
export type ExportedEvent = {
  readonly id: string;
  readonly type: string;
  /** Empty for events of all tenants. */
  readonly tenantId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly createdAt: string;
};

export type EventExporter = AsyncDisposable & {
  /** Resolves once the broker has stored the event; throws ExporterUnavailable. Idempotent. */
  publish(event: ExportedEvent): Promise<void>;
  /** Never throws; returns within a bounded time. */
  probe(): Promise<{ readonly mode: 'rabbitmq'; readonly connected: boolean }>;
};

/** The event may or may not have arrived: publish it again later. */
export class ExporterUnavailable extends Error {
  constructor(reason: string, cause?: CircuitOpenError) {
    super(`events cannot be published right now: ${reason}`, cause && { cause });
    this.name = 'ExporterUnavailable';
  }
}

export const exportKind = `${eventKind}.export`;
const unavailablePauseMs = 5000;

const toExported = ({ id, type, tenantId, payload, createdAt }: Event): ExportedEvent => ({
  id,
  type,
  tenantId: tenantId === null ? '' : toWireId(tenantId),
  payload,
  createdAt: toIso(createdAt),
});

/**
 * Outages of the broker do not count as attempts: of each set one event is tried first, and if the broker is
 * unavailable the others wait.
 */
export const exportEvents = (context: DeliverContext, exporter: EventExporter): SetHandler => ({
  kind: exportKind,
  leaseSeconds,
  runSet: async (jobs, stopping) => {
    const { db, clock, observer } = context;
    const [first, ...others] = jobs.map(toDelivery);
    const publish = async (delivery: Delivery) => ({ delivery, error: await findRejection(exporter, delivery.event) });
    const results = first ? [await publish(first)] : [];
    const isAway = stopping.aborted || results[0]?.error instanceof ExporterUnavailable;
    if (!isAway) results.push(...(await Promise.all(others.map(publish))));
    const arrived = results.flatMap(({ delivery, error }) => (error === null ? [delivery] : []));
    await finishAll(db, arrived);
    for (const { event } of arrived) observer.published(event);
    const rejected = results.filter(({ error }) => error !== null && !(error instanceof ExporterUnavailable));
    for (const { delivery, error } of rejected) await failed({ ...context, stopping }, delivery, error);
    const ended = new Set([...arrived, ...rejected.map(({ delivery }) => delivery)].map(({ id }) => id));
    const rest = jobs.filter(({ id }) => !ended.has(id));
    await putBackAll(db, rest, clock.now() + (stopping.aborted ? 0 : unavailablePauseMs));
  },
});

async function findRejection(exporter: EventExporter, event: Event): Promise<unknown> {
  try {
    await exporter.publish(toExported(event));
    return null;
  } catch (error) {
    return error;
  }
}
