// Carries committed events to the transport: in batches, the events of one tenant in their order where nothing fails.
// An event leaves the table only after the transport has taken it, so nothing is lost; it may be carried twice.
import type { Clock } from '../clock.ts';
import { toIso } from '../clock.ts';
import type { Engine } from '../db/open-db.ts';
import type { Db, Key } from '../db/tables.ts';
import { toWireId } from '../ids.ts';
import { exponentialBackoff } from '../jobs/jobs.ts';
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { type ClaimedEvent, claimEvents, deletePublished, exhaustEvent, putBackEvent } from './queries.ts';
import { type OutboxTransport, TransportUnavailable } from './transport.ts';

export type PublisherOptions = {
  readonly db: Db;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly transport: Pick<OutboxTransport, 'publish'>;
  /** Failures before an event is set aside; 20, about an hour, when left out. Times without a transport do not count. */
  readonly maxAttempts?: number;
  readonly random?: () => number;
  /** From the event's commit to its arrival. */
  readonly observeLatency?: (seconds: number) => void;
  readonly observeFailure?: () => void;
};

const batchSize = 100;
const tenantsAtOnce = 8;
const mostAtOnce = 50;
const leaseMs = 60_000;
const unavailableInARow = 3;
const unavailablePauseSeconds = 5;
const backoffSeconds = exponentialBackoff(1, 300);

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #maxAttempts: number;
  readonly totals = { published: 0, failed: 0 };
  /** How many events of a tenant are on their way together. */
  #width = 1;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#maxAttempts = options.maxAttempts ?? 20;
  }

  /** Publishes one batch of what is due; says how many arrived or failed for good, so that the caller goes on. */
  async run(signal: AbortSignal): Promise<number> {
    const { db, engine, clock } = this.#options;
    const now = clock.now();
    const events = await claimEvents(db, engine, { limit: batchSize, now, until: now + leaseMs });
    if (events.length === 0) return 0;
    const batch = new Batch(clock, signal);
    const queue = [...Map.groupBy(events, event => event.tenant_id).values()];
    const lanes = Array.from({ length: tenantsAtOnce }, async () => {
      for (let tenant = queue.shift(); tenant; tenant = queue.shift()) {
        await this.#publishInOrder(tenant, batch);
      }
    });
    const results = await Promise.allSettled(lanes);
    await deletePublished(db, batch.published);
    const broken = results.find(result => result.status === 'rejected');
    if (broken) throw broken.reason;
    return batch.mayGoOn() ? events.length : 0;
  }

  /** More and more at once, so that they can share the work of their arrival; one by one again where anything fails. */
  async #publishInOrder(events: readonly ClaimedEvent[], batch: Batch): Promise<void> {
    for (let at = 0; at < events.length; ) {
      const some = events.slice(at, at + this.#width);
      const setbacksBefore = batch.setbacks;
      const results = await Promise.allSettled(some.map(event => this.#publish(event, batch)));
      const broken = results.find(result => result.status === 'rejected');
      if (broken) throw broken.reason;
      at += some.length;
      this.#width = batch.setbacks === setbacksBefore ? Math.min(2 * this.#width, mostAtOnce) : 1;
    }
  }

  async #publish(event: ClaimedEvent, batch: Batch): Promise<void> {
    const { db, clock, transport, observeLatency } = this.#options;
    if (!batch.mayGoOn()) {
      batch.setbacks += 1;
      return this.#putBack(event, batch.pauseSeconds());
    }
    if (event.attempt > this.#maxAttempts) {
      this.#countFailure();
      return exhaustEvent(db, event, 'the server died each time it was published');
    }
    try {
      await transport.publish(toWireEvent(event));
    } catch (error) {
      return this.#failed(event, batch, error);
    }
    batch.arrived(event.id);
    this.totals.published += 1;
    observeLatency?.(Math.max(0, clock.now() - event.created_at) / 1000);
  }

  #countFailure(): void {
    this.totals.failed += 1;
    this.#options.observeFailure?.();
  }

  async #failed(event: ClaimedEvent, batch: Batch, error: unknown): Promise<void> {
    const { db, clock, log } = this.#options;
    batch.setbacks += 1;
    const lastError = toErrorText(error instanceof Error && error.cause ? error.cause : error);
    const about = { event: event.event_id, type: event.type, attempt: event.attempt, error: lastError };
    if (error instanceof TransportUnavailable) {
      batch.unavailable();
      log.warn(about, 'an event could not be published now');
      return this.#putBack(event, unavailablePauseSeconds, lastError);
    }
    this.#countFailure();
    if (event.attempt >= this.#maxAttempts) {
      log.error(about, 'an event is set aside');
      return exhaustEvent(db, event, lastError);
    }
    log.warn(about, 'an event failed and will be published again');
    const dueAt = clock.now() + this.#jitter(backoffSeconds(event.attempt));
    return putBackEvent(db, event, { dueAt, attempt: event.attempt, lastError });
  }

  /** Does not count as an attempt. */
  #putBack(event: ClaimedEvent, seconds: number, lastError?: string): Promise<void> {
    const dueAt = this.#options.clock.now() + this.#jitter(seconds);
    const attempt = event.attempt - 1;
    return putBackEvent(
      this.#options.db,
      event,
      lastError === undefined ? { dueAt, attempt } : { dueAt, attempt, lastError },
    );
  }

  #jitter(seconds: number): number {
    return Math.round(seconds * 1000 * (0.8 + 0.4 * (this.#options.random ?? Math.random)()));
  }
}

/** What one batch has learnt so far. */
class Batch {
  readonly signal: AbortSignal;
  readonly published: Key[] = [];
  /** Events that failed or were not tried. */
  setbacks = 0;
  readonly #clock: Clock;
  readonly #until: number;
  #unavailable = 0;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#until = clock.now() + leaseMs / 2;
    this.signal = signal;
  }

  /** Not when the server stops, the transport is away, or the lease could end under the next event. */
  mayGoOn(): boolean {
    return !this.signal.aborted && this.#unavailable < unavailableInARow && this.#clock.now() < this.#until;
  }

  /** How long what was not tried waits for the next batch. */
  pauseSeconds(): number {
    return this.#unavailable < unavailableInARow ? 0 : unavailablePauseSeconds;
  }

  arrived(id: Key): void {
    this.published.push(id);
    this.#unavailable = 0;
  }

  unavailable(): void {
    this.#unavailable += 1;
  }
}

const toWireEvent = (event: ClaimedEvent) => ({
  id: event.event_id,
  type: event.type,
  tenantId: event.tenant_id === null ? '' : toWireId(event.tenant_id),
  payload: JSON.parse(event.payload) as Record<string, unknown>,
  createdAt: toIso(event.created_at),
});
