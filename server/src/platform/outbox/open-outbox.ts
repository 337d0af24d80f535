// What becomes of events on this server: the handlers that hand them to consumers and to a broker, and what they count.
import type { SetHandler } from '../jobs/jobs.ts';
import { type DeliverContext, openDeliveries } from './deliver.ts';
import { type EventExporter, exportEvents, exportKind } from './exporter.ts';
import type { Consumer, Event } from './outbox.ts';
import { countEvents, type EventCounts } from './queries.ts';

export type OutboxOptions = Omit<DeliverContext, 'told'> & {
  readonly consumers: readonly Consumer[];
  /** Where every event goes besides. */
  readonly exporter?: EventExporter | null;
  /** From the event's commit to the end of its handling. */
  readonly observeLatency?: (seconds: number) => void;
  readonly observeFailure?: () => void;
};

type OutboxCounters = EventCounts & { readonly published: number; readonly failed: number };

export type Outbox = {
  /** For the worker. */
  readonly setHandlers: readonly SetHandler[];
  /** What waits on all servers; how often an event was handled on this one, and how often that failed. */
  counters(): Promise<OutboxCounters>;
};

export function openOutbox(options: OutboxOptions): Outbox {
  const { db, clock, consumers, exporter } = options;
  const totals = { published: 0, failed: 0 };
  const told = {
    published: ({ createdAt }: Event) => {
      totals.published += 1;
      options.observeLatency?.(Math.max(0, clock.now() - createdAt) / 1000);
    },
    failed: () => {
      totals.failed += 1;
      options.observeFailure?.();
    },
  };
  const context = { ...options, told };
  const setHandlers = [
    ...openDeliveries(context, consumers, exporter ? [exportKind] : []),
    ...(exporter ? [exportEvents(context, exporter)] : []),
  ];
  const kinds = setHandlers.map(({ kind }) => kind);
  return { setHandlers, counters: async () => ({ ...(await countEvents(db, kinds)), ...totals }) };
}
