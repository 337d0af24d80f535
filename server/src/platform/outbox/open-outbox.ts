// The outbox on this server: job handlers that deliver events to consumers and a broker, and their counters.

import type { Db, Time } from '../db/tables.ts';
import type { SetHandler } from '../jobs/jobs.ts';
import { type DeliverContext, openDeliveries } from './deliver.ts';
import { type EventExporter, exportEvents, exportKind } from './exporter.ts';
import type { Consumer, Event } from './outbox.ts';

export type OutboxOptions = Omit<DeliverContext, 'observer'> & {
  readonly consumers: readonly Consumer[];
  /** Also gets every event. */
  readonly exporter?: EventExporter | null;
  /** From the event's commit to the end of its handling. */
  readonly observeLatency?: (seconds: number) => void;
  readonly observeFailure?: () => void;
};

type EventCounts = {
  pending: number;
  /** Pending events with at least one failure. */
  retrying: number;
  exhausted: number;
  oldestPendingAt: Time | null;
};

type OutboxCounters = EventCounts & { readonly published: number; readonly failed: number };

export type Outbox = {
  /** For the worker. */
  readonly setHandlers: readonly SetHandler[];
  /** Waiting events on all servers; handled and failed ones on this server. */
  counters(): Promise<OutboxCounters>;
};

export function openOutbox(options: OutboxOptions): Outbox {
  const { db, clock, consumers, exporter } = options;
  const totals = { published: 0, failed: 0 };
  const observer = {
    published: ({ createdAt }: Event) => {
      totals.published += 1;
      options.observeLatency?.(Math.max(0, clock.now() - createdAt) / 1000);
    },
    failed: () => {
      totals.failed += 1;
      options.observeFailure?.();
    },
  };
  const context = { ...options, observer };
  const setHandlers = [
    ...openDeliveries(context, consumers, exporter ? [exportKind] : []),
    ...(exporter ? [exportEvents(context, exporter)] : []),
  ];
  const kinds = setHandlers.map(({ kind }) => kind);
  return { setHandlers, counters: async () => ({ ...(await countEvents(db, kinds)), ...totals }) };
}

/** Across all servers; `kinds`: the job kinds of events. */
async function countEvents(db: Db, kinds: readonly string[]): Promise<EventCounts> {
  const rows = await db
    .selectFrom('job')
    .select(({ fn }) => [
      'state',
      fn.countAll<number>().as('count'),
      fn.count<number>('last_error').as('failed'),
      fn.min('created_at').as('oldest'),
    ])
    .where('kind', 'in', kinds)
    .groupBy('state')
    .execute();
  const exhausted = rows.filter(row => row.state === 'DEAD');
  const pending = rows.filter(row => row.state !== 'DEAD');
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    pending: sum(pending.map(row => row.count)),
    retrying: sum(pending.map(row => row.failed)),
    exhausted: sum(exhausted.map(row => row.count)),
    oldestPendingAt: pending.map(row => row.oldest).sort((a, b) => a - b)[0] ?? null,
  };
}
