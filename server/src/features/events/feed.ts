// Event delivery of one tenant to its streams on this server. Events up to the cursor have been sent to the live
// streams; a new or resumed stream first gets the events between its own last one and the cursor and then becomes live,
// so that none is lost or repeated.
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { keptMs } from './notices.ts';
import { type EventRow, type FindLastId, findEvent, listEvents, listEventsFor } from './queries.ts';
import { type FramedEvent, mostRecent, RecentEvents } from './recent.ts';
import { type EventStream, toEventFrame } from './stream.ts';

const pageSize = 200;
const portionBytes = 128 * 1024;
/** Streams written before yielding to other work. */
const streamsAtOnce = 500;

type FeedOptions = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly findLastId: FindLastId;
  /** Ends the streams whose session has ended. */
  readonly endDead: (streams: readonly EventStream[]) => Promise<void>;
  readonly sent: (count: number) => void;
};

/** The start of a stream. `missed`: some events since then are no longer kept. `quietMs`: since the newest event. */
type Start = { readonly lastId: Key; readonly missed: boolean; readonly quietMs?: number | null };

const isForRole = (row: EventRow, { role }: EventStream): boolean => row.roles?.split(' ').includes(role) ?? true;
const isFor = (row: EventRow, stream: EventStream): boolean =>
  (row.user_id === null || row.user_id === stream.userId) &&
  isForRole(row, stream) &&
  stream.admits(row.type, row.payload);

export class TenantFeed {
  readonly #tenantId: Key;
  readonly #options: FeedOptions;
  readonly #streams = new Map<Key, EventStream[]>();
  readonly #recent = new RecentEvents();
  #cursor: Key = 0;
  #admitting = 0;
  #isReading = false;
  #isBehind = false;
  #burstBytes = 0;
  #filling: Promise<void> | undefined;
  #filledTo: Key = -1;

  constructor(tenantId: Key, options: FeedOptions) {
    this.#tenantId = tenantId;
    this.#options = options;
  }

  streamsOf(userId: Key): readonly EventStream[] {
    return this.#streams.get(userId) ?? [];
  }

  streams(): EventStream[] {
    return [...this.#streams.values()].flat();
  }

  remove(stream: EventStream): void {
    const left = this.streamsOf(stream.userId).filter(other => other !== stream);
    if (left.length > 0) this.#streams.set(stream.userId, left);
    else this.#streams.delete(stream.userId);
    if (this.#streams.size === 0) this.#forget();
  }

  #forget(): void {
    this.#recent.clear();
    this.#filledTo = -1;
  }

  /** Admits a stream after event `after`, or after the newest. `begin` is called once it can no longer be rejected. */
  async admit(after: Key | undefined, begin: (start: Start) => EventStream): Promise<void> {
    this.#admitting += 1;
    try {
      const stream = begin(await this.#findStart(after));
      this.#streams.set(stream.userId, [...this.streamsOf(stream.userId), stream]);
      await this.#catchUp(stream);
    } finally {
      this.#admitting -= 1;
    }
  }

  async #findStart(after: Key | undefined): Promise<Start> {
    const newest = await this.#options.findLastId(this.#tenantId);
    if (this.#streams.size === 0) this.#skipTo(newest);
    if (after === undefined) return { lastId: newest, missed: false, quietMs: await this.#findQuietMs(newest) };
    if (after === newest) return { lastId: newest, missed: false };
    // An id that was never issued, or only before a backup was restored.
    if (after > newest) return { lastId: newest, missed: true };
    const next = await this.#find(after + 1);
    return { lastId: after, missed: next === null || next.stored_at < this.#oldestKept() };
  }

  #find = async (id: Key): Promise<EventRow | null> =>
    this.#recent.find(id) ?? (await findEvent(this.#options.db, this.#tenantId, id));

  async #findQuietMs(newest: Key): Promise<number | null> {
    const row = newest === 0 ? null : await this.#find(newest);
    return row && Math.max(0, this.#options.clock.now() - row.stored_at);
  }

  /** No stream here waits for earlier events. */
  #skipTo(newest: Key): void {
    if (newest <= this.#cursor) return;
    this.#cursor = newest;
    this.#forget();
  }

  #oldestKept(): number {
    return this.#options.clock.now() - keptMs;
  }

  async #catchUp(stream: EventStream): Promise<void> {
    while (stream.isOpen && stream.lastId < this.#cursor) await this.#sendSome(stream);
    stream.flush();
    stream.isLive = true;
  }

  async #sendSome(stream: EventStream): Promise<void> {
    if (this.#cursor - stream.lastId > mostRecent) return this.#sendPage(stream, this.#cursor - mostRecent);
    if (this.#recent.since(stream.lastId) === null && this.#filledTo !== this.#cursor) await this.#fillRecent();
    const recent = this.#recent.since(stream.lastId);
    if (recent === null) return this.#sendPage(stream, this.#cursor); // too large, or no longer kept
    const oldest = this.#oldestKept();
    const kept = recent.filter(({ row }) => row.stored_at >= oldest);
    await this.#sendAll(stream, kept, this.#cursor);
  }

  /** Once for all waiting streams. */
  async #fillRecent(): Promise<void> {
    this.#filling ??= this.#readRecent().finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  async #readRecent(): Promise<void> {
    const upTo = this.#cursor;
    const rows = await listEvents(this.#options.db, this.#tenantId, upTo - mostRecent, mostRecent);
    this.#filledTo = upTo;
    this.#recent.fill(rows.filter(({ id }) => id <= upTo));
  }

  /** Older events, read for this stream only. */
  async #sendPage(stream: EventStream, upTo: Key): Promise<void> {
    const span = { after: stream.lastId, upTo, storedSince: this.#oldestKept() };
    const who = { tenantId: this.#tenantId, userId: stream.userId };
    const rows = await listEventsFor(this.#options.db, who, span, pageSize);
    const events = rows.map(row => ({ row, frame: toEventFrame(row) }));
    await this.#sendAll(stream, events, rows.length < pageSize ? upTo : (rows.at(-1)?.id ?? upTo));
  }

  /** No faster than the client reads: our own backlog does not count against it. */
  async #sendAll(stream: EventStream, events: readonly FramedEvent[], upTo: Key): Promise<void> {
    const frames = events.filter(({ row }) => isFor(row, stream)).map(({ frame }) => frame);
    for (const portion of toPortions(frames)) {
      if (stream.send(Buffer.concat(portion))) this.#options.sent(portion.length);
      await stream.drained();
    }
    stream.lastId = upTo;
  }

  /** Signals new events, up to this id at least, or unknown. Returns at once. */
  wake(upTo = Number.POSITIVE_INFINITY): void {
    if (upTo <= this.#cursor || (this.#streams.size === 0 && this.#admitting === 0)) return;
    this.#isBehind = true;
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    const { db, log } = this.#options;
    this.#isReading = true;
    try {
      while (this.#isBehind) {
        this.#isBehind = false;
        const rows = await listEvents(db, this.#tenantId, this.#cursor, pageSize);
        if (rows.length === pageSize) this.#isBehind = true;
        for (const row of rows) await this.#deliver(row);
      }
    } catch (error) {
      log.warn({ error: toErrorText(error) }, 'failed to read events; retrying within seconds');
    } finally {
      this.#isReading = false;
    }
  }

  async #deliver(row: EventRow): Promise<void> {
    // A lost role ends the session, but that message may arrive later than this one.
    if (row.roles !== null) await this.#options.endDead(this.#audienceOf(row));
    if (row.id <= this.#cursor) return; // the cursor was advanced while there were no streams
    this.#cursor = row.id;
    const event = this.#recent.push(row);
    this.#options.sent(await sendTo(this.#audienceOf(row), event));
    this.#burstBytes += event.frame.length;
    if (this.#burstBytes < portionBytes) return;
    this.#burstBytes = 0;
    await othersTurn(); // otherwise a burst of ours would count as the client's backlog
  }

  #audienceOf(row: EventRow): readonly EventStream[] {
    const streams = row.user_id === null ? this.streams() : this.streamsOf(row.user_id);
    return streams.filter(stream => isFor(row, stream));
  }
}

function* toPortions(frames: readonly Buffer[]): Generator<Buffer[]> {
  let portion: Buffer[] = [];
  let bytes = 0;
  for (const frame of frames) {
    portion.push(frame);
    bytes += frame.length;
    if (bytes < portionBytes) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}

/** Returns to how many it was sent. */
async function sendTo(streams: readonly EventStream[], { row, frame }: FramedEvent): Promise<number> {
  if (streams.length === 0) return 0;
  let sent = 0;
  for (const [index, stream] of streams.entries()) {
    if (index > 0 && index % streamsAtOnce === 0) await othersTurn();
    if (!stream.isLive || stream.lastId >= row.id) continue;
    stream.lastId = row.id;
    if (stream.send(frame)) sent += 1;
  }
  return sent;
}
