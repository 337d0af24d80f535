// The events of one tenant on their way to its streams on this server. Everything up to the cursor has been sent to the
// live streams; who comes later, or comes back, reads from the database up to the cursor and then becomes live, so that
// nothing falls between the two and nothing comes twice.
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { keptMs } from './notices.ts';
import { type EventRow, findEvent, findLastId, listEvents, listEventsFor } from './queries.ts';
import { type EventStream, toEventFrame } from './stream.ts';

const pageSize = 200;
/** So many streams are written to before others get their turn. */
const streamsAtOnce = 500;

export type FeedPorts = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends those of the streams whose session is over. */
  readonly endDead: (streams: readonly EventStream[]) => Promise<void>;
  readonly sent: (count: number) => void;
};

/** Where a stream begins. `missed`: not all that came since then is kept. */
export type Start = { readonly lastId: Key; readonly missed: boolean };

const isForRole = (row: EventRow, { role }: EventStream): boolean => row.roles?.split(' ').includes(role) ?? true;

export class TenantFeed {
  readonly #tenantId: Key;
  readonly #ports: FeedPorts;
  readonly #streams = new Map<Key, EventStream[]>();
  #cursor: Key = 0;
  #admitting = 0;
  #isReading = false;
  #isBehind = false;

  constructor(tenantId: Key, ports: FeedPorts) {
    this.#tenantId = tenantId;
    this.#ports = ports;
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
  }

  /** Lets a stream in behind event `after`, or behind the newest. `begin` is called once nothing can refuse it any more. */
  async admit(after: Key | undefined, begin: (start: Start) => EventStream): Promise<EventStream> {
    this.#admitting += 1;
    try {
      const stream = begin(await this.#findStart(after));
      this.#streams.set(stream.userId, [...this.streamsOf(stream.userId), stream]);
      await this.#catchUp(stream);
      return stream;
    } finally {
      this.#admitting -= 1;
    }
  }

  async #findStart(after: Key | undefined): Promise<Start> {
    const { db, clock } = this.#ports;
    const newest = await findLastId(db, this.#tenantId);
    if (this.#streams.size === 0) this.#cursor = Math.max(this.#cursor, newest); // what nobody here waits for
    if (after === undefined || after === newest) return { lastId: newest, missed: false };
    // An id that was never handed out, or was before a backup was restored.
    if (after > newest) return { lastId: newest, missed: true };
    const next = await findEvent(db, this.#tenantId, after + 1);
    return { lastId: after, missed: next === null || next.stored_at < clock.now() - keptMs };
  }

  async #catchUp(stream: EventStream): Promise<void> {
    while (stream.isOpen && stream.lastId < this.#cursor) await this.#sendPage(stream);
    stream.isLive = true;
  }

  async #sendPage(stream: EventStream): Promise<void> {
    const { db, clock } = this.#ports;
    const span = { after: stream.lastId, upTo: this.#cursor, storedSince: clock.now() - keptMs };
    const who = { tenantId: this.#tenantId, userId: stream.userId };
    const rows = await listEventsFor(db, who, span, pageSize);
    const frames = rows.filter(row => isForRole(row, stream)).map(toEventFrame);
    if (frames.length > 0 && stream.send(Buffer.concat(frames))) this.#ports.sent(frames.length);
    stream.lastId = rows.length < pageSize ? span.upTo : (rows.at(-1)?.id ?? span.upTo);
    await stream.drained();
  }

  /** There are new events, up to this id at least, or nobody knows. Returns at once. */
  wake(upTo = Number.POSITIVE_INFINITY): void {
    if (upTo <= this.#cursor || (this.#streams.size === 0 && this.#admitting === 0)) return;
    this.#isBehind = true;
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    const { db, log } = this.#ports;
    this.#isReading = true;
    try {
      while (this.#isBehind) {
        this.#isBehind = false;
        const rows = await listEvents(db, this.#tenantId, this.#cursor, pageSize);
        if (rows.length === pageSize) this.#isBehind = true;
        for (const row of rows) await this.#deliver(row);
      }
    } catch (error) {
      log.warn({ error: toErrorText(error) }, 'events could not be read; they are tried again within seconds');
    } finally {
      this.#isReading = false;
    }
  }

  async #deliver(row: EventRow): Promise<void> {
    // Whoever has lost a role has lost the session with it, but that news may travel slower than this one.
    if (row.roles !== null) await this.#ports.endDead(this.#audienceOf(row));
    if (row.id <= this.#cursor) return; // the cursor went on by itself while nobody was here
    this.#cursor = row.id;
    this.#ports.sent(await sendTo(this.#audienceOf(row), row));
  }

  #audienceOf(row: EventRow): readonly EventStream[] {
    if (row.user_id !== null) return this.streamsOf(row.user_id);
    return row.roles === null ? this.streams() : this.streams().filter(stream => isForRole(row, stream));
  }
}

/** To how many it was sent. */
async function sendTo(streams: readonly EventStream[], row: EventRow): Promise<number> {
  if (streams.length === 0) return 0;
  let sent = 0;
  const frame = toEventFrame(row);
  for (const [index, stream] of streams.entries()) {
    if (index > 0 && index % streamsAtOnce === 0) await othersTurn();
    if (!stream.isLive || stream.lastId >= row.id) continue;
    stream.lastId = row.id;
    if (stream.send(frame)) sent += 1;
  }
  return sent;
}
