// All event streams of this server: opens them, keeps them alive, ends them, and handles messages of other servers. One
// timer serves all streams: each second handles its share of heartbeats and session checks.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { EndReason, StreamPayload, StreamType } from '@recordproof/shared/api/events.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Platform } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { listDeadSessions } from '../auth/index.ts';
import { ServerBus, type Word } from './bus.ts';
import { TenantFeed } from './feed.ts';
import { declareStreamMetrics, type StreamMetrics } from './metrics.ts';
import { type FindLastId, listLastIds, prepareFindLastId } from './queries.ts';
import { EventStream, toPassingFrame } from './stream.ts';

const maxStreamsPerUser = 5;
const heartbeatSeconds = 30;
const pollEverySeconds = 5;
const lastWordMs = 5000;
/** After an outage clients reconnect at different times. */
const retryMs = { least: 1000, spread: 4000 };

type Ours = Pick<Platform, 'database' | 'clock' | 'log' | 'cluster' | 'metrics' | 'config' | 'stopping'>;

type Person = Pick<Actor, 'tenantId' | 'userId'>;

/** Sends a message that is not stored to a user's streams, on any server. */
type NotifyNow = <T extends StreamType>(person: Person, type: T, payload: StreamPayload<T>) => void;

export class EventHub implements AsyncDisposable {
  readonly #platform: Ours;
  readonly #bus: ServerBus;
  readonly #metrics: StreamMetrics;
  readonly #findLastId: FindLastId;
  /** Never shrinks: its size is bounded by the number of tenants. */
  readonly #feeds = new Map<Key, TenantFeed>();
  /** By the second of their heartbeat. */
  readonly #beats = Array.from({ length: heartbeatSeconds }, () => new Set<EventStream>());
  readonly #leaving = new Map<EventStream, Time>();
  readonly #news = new Set<Key>();
  #open = 0;
  #opened = 0;
  #seconds = 0;
  #tickedAt: Time;
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(platform: Ours) {
    const { cluster, log, clock } = platform;
    this.#platform = platform;
    this.#metrics = declareStreamMetrics(platform.metrics, () => this.#open);
    this.#findLastId = prepareFindLastId(platform.database);
    this.#tickedAt = clock.now();
    this.#bus = new ServerBus({
      cluster,
      log,
      hear: word => this.#hear(word),
      onGap: () => void this.#look(),
      listHeld: person => this.#streamsOf(person).map(({ connectionId, openedAt }) => ({ connectionId, openedAt })),
    });
  }

  /** Subscribes to the other servers, and starts the heartbeats and session checks. */
  async start(): Promise<void> {
    await this.#bus.open();
    this.#timer = setInterval(() => this.#tick(), 1000).unref();
    this.#platform.stopping.addEventListener('abort', () => this.#endAll());
  }

  /** New events of the tenant are committed. Events of one commit are announced once. */
  announce(tenantId: Key): void {
    if (this.#news.has(tenantId)) return;
    this.#news.add(tenantId);
    setImmediate(() => {
      this.#news.delete(tenantId);
      this.#bus.broadcast({ kind: 'news', tenantId });
    });
  }

  /** Sessions of the user have ended, or all of the tenant. */
  sessionsEnded({ tenantId, userId }: { readonly tenantId: Key; readonly userId: Key | null }): void {
    this.#bus.broadcast({ kind: 'sessions', tenantId, userId });
  }

  readonly notifyNow: NotifyNow = ({ tenantId, userId }, type, payload) => {
    const frame = toPassingFrame(type, payload, this.#platform.clock.now()).toString();
    this.#bus.broadcast({ kind: 'passing', tenantId, userId, frame, type, payload: JSON.stringify(payload) });
  };

  async countStreams(person: Person): Promise<number> {
    return (await this.#bus.listStreams(toPerson(person))).length;
  }

  disconnect(person: Person, connectionId: string | undefined): void {
    const which = connectionId === undefined ? {} : { connectionIds: [connectionId] };
    this.#bus.broadcast({ kind: 'end', reason: 'disconnected', ...toPerson(person), ...which });
  }

  /** Opens a stream after event `after`; `begin` sends the response head and returns the connection. */
  async connect(
    actor: Actor,
    after: Key | undefined,
    begin: () => ConstructorParameters<typeof EventStream>[0],
  ): Promise<void> {
    this.#assertRoom();
    this.#open += 1;
    let stream: EventStream | undefined;
    try {
      await this.#feedOf(actor.tenantId).admit(after, ({ lastId, ...start }) => {
        stream = new EventStream(begin(), actor, { openedAt: this.#platform.clock.now(), lastId });
        this.#keep(actor.tenantId, stream);
        stream.greet(start, retryMs.least + Math.floor(Math.random() * retryMs.spread));
        return stream;
      });
    } catch (error) {
      if (stream === undefined) {
        this.#open -= 1;
        throw error;
      }
      this.#platform.log.warn({ error: toErrorText(error) }, 'failed to replay missed events of a stream');
      this.#end(stream, 'interrupted');
    }
    if (this.#isClosing && stream) this.#end(stream, 'shutdown');
    await this.#endSurplus(actor);
  }

  /** Tells every client to reconnect, here or elsewhere; new streams are rejected. */
  #endAll(): void {
    this.#isClosing = true;
    for (const feed of this.#feeds.values()) for (const stream of feed.streams()) this.#end(stream, 'shutdown');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#endAll();
    for (const stream of this.#leaving.keys()) stream.abandon();
    await this.#bus[Symbol.asyncDispose]();
  }

  #assertRoom(): void {
    if (this.#isClosing)
      throw new ApiError('SERVICE_UNAVAILABLE', 'this server is shutting down', { retryAfterSeconds: 5 });
    if (this.#open < this.#platform.config.events.maxStreams) return;
    this.#metrics.refused();
    const message = `this server holds ${this.#platform.config.events.maxStreams} event streams and takes no more; try again later`;
    throw new ApiError('SYSTEM_BUSY', message, { retryAfterSeconds: 10 });
  }

  #keep(tenantId: Key, stream: EventStream): void {
    const beat = this.#beats[this.#opened++ % heartbeatSeconds];
    beat?.add(stream);
    stream.onClosed(ending => {
      beat?.delete(stream);
      this.#leaving.delete(stream);
      this.#feedOf(tenantId).remove(stream);
      this.#open -= 1;
      this.#metrics.ended(ending);
    });
  }

  /** Keeps the user's newest streams, across all servers. */
  async #endSurplus(actor: Actor): Promise<void> {
    const person = toPerson(actor);
    const newestFirst = (await this.#bus.listStreams(person)).sort(
      (a, b) => b.openedAt - a.openedAt || (a.connectionId < b.connectionId ? 1 : -1),
    );
    const connectionIds = newestFirst.slice(maxStreamsPerUser).map(stream => stream.connectionId);
    if (connectionIds.length > 0) this.#bus.broadcast({ kind: 'end', reason: 'replaced', ...person, connectionIds });
  }

  #feedOf(tenantId: Key): TenantFeed {
    const existing = this.#feeds.get(tenantId);
    if (existing) return existing;
    const { database, clock, log } = this.#platform;
    const feed = new TenantFeed(tenantId, {
      db: database.db,
      clock,
      log,
      findLastId: this.#findLastId,
      endDead: streams => this.#endDead(streams),
      sent: count => this.#metrics.sent(count),
    });
    this.#feeds.set(tenantId, feed);
    return feed;
  }

  #streamsOf({ tenantId, userId }: Person): readonly EventStream[] {
    return this.#feeds.get(tenantId)?.streamsOf(userId) ?? [];
  }

  #concerned({ tenantId, userId }: Extract<Word, { kind: 'sessions' }>): readonly EventStream[] {
    return userId === null ? (this.#feeds.get(tenantId)?.streams() ?? []) : this.#streamsOf({ tenantId, userId });
  }

  #hear(word: Word): void {
    switch (word.kind) {
      case 'news':
        this.#feeds.get(word.tenantId)?.wake();
        break;
      case 'sessions':
        void this.#tryEndDead(this.#concerned(word));
        break;
      case 'passing': {
        const frame = Buffer.from(word.frame);
        const { type = '', payload = '{}' } = word; // an older server sends no type: limited streams then get nothing
        for (const stream of this.#streamsOf(word)) if (stream.admits(type, payload)) stream.send(frame);
        break;
      }
      case 'end': {
        const { connectionIds, reason } = word;
        for (const stream of this.#streamsOf(word)) {
          if (connectionIds?.includes(stream.connectionId) ?? true) this.#end(stream, reason);
        }
      }
    }
  }

  #end(stream: EventStream, reason: EndReason): void {
    if (!stream.isOpen) return;
    const now = this.#platform.clock.now();
    this.#leaving.set(stream, now);
    stream.end(reason, now);
  }

  async #endDead(streams: readonly EventStream[]): Promise<void> {
    for (const stream of await listDeadSessions(this.#platform.database.db, streams))
      this.#end(stream, 'session-ended');
  }

  /** For callers that check again later anyway. */
  async #tryEndDead(streams: readonly EventStream[]): Promise<void> {
    try {
      await this.#endDead(streams);
    } catch (error) {
      this.#platform.log.warn({ error: toErrorText(error) }, 'failed to check the sessions of event streams');
    }
  }

  #tick(): void {
    const now = this.#platform.clock.now();
    // After a clock change or a suspended process, missed seconds are not repeated.
    const seconds = Math.min(heartbeatSeconds, Math.floor((now - this.#tickedAt) / 1000));
    if (now < this.#tickedAt || seconds === heartbeatSeconds) this.#tickedAt = now;
    else this.#tickedAt += seconds * 1000;
    for (let second = 0; second < seconds; second += 1) this.#beat(now);
    for (const [stream, since] of this.#leaving) if (now - since > lastWordMs) stream.abandon();
  }

  #beat(now: Time): void {
    this.#seconds += 1;
    const streams = [...(this.#beats[this.#seconds % heartbeatSeconds] ?? [])];
    const frame = toPassingFrame('heartbeat', {}, now);
    for (const stream of streams) {
      if (stream.tokenExpiresAt <= now) this.#end(stream, 'session-ended');
      else stream.send(frame);
    }
    if (streams.length > 0) void this.#tryEndDead(streams);
    if (this.#seconds % pollEverySeconds === 0 && this.#open > 0) void this.#look();
  }

  /** Polls for what no message announced. */
  async #look(): Promise<void> {
    try {
      for (const { tenant_id, last_id } of await listLastIds(this.#platform.database.db))
        this.#feeds.get(tenant_id)?.wake(last_id);
    } catch (error) {
      this.#platform.log.warn({ error: toErrorText(error) }, 'failed to poll for new events');
    }
  }
}

const toPerson = ({ tenantId, userId }: Person): Person => ({ tenantId, userId });
