// A cache of a tenant's newest events, framed, without gaps: when thousands of clients reconnect, the same few events
// are read once. Bounded by number and by bytes.
import type { Key } from '../../platform/db/tables.ts';
import type { EventRow } from './queries.ts';
import { toEventFrame } from './stream.ts';

export type FramedEvent = { readonly row: EventRow; readonly frame: Buffer };

export const mostRecent = 1000;
const maxBytes = 2 * 1024 * 1024;

export class RecentEvents {
  #events: FramedEvent[] = [];
  #bytes = 0;

  /** The next event; after a gap, earlier ones are dropped. */
  push(row: EventRow): FramedEvent {
    const last = this.#events.at(-1);
    if (last && last.row.id !== row.id - 1) this.clear();
    const event = { row, frame: toEventFrame(row) };
    this.#events.push(event);
    this.#bytes += event.frame.length;
    if (this.#events.length > 2 * mostRecent || this.#bytes > maxBytes) this.#forgetHalf();
    return event;
  }

  /** All events after this id, up to the newest one cached; null if the cache does not reach back that far. */
  since(after: Key): FramedEvent[] | null {
    const first = this.#events[0];
    if (!first || after < first.row.id - 1) return null;
    return this.#events.slice(after + 1 - first.row.id);
  }

  find(id: Key): EventRow | undefined {
    const first = this.#events[0];
    return first && this.#events[id - first.row.id]?.row;
  }

  /** Prepends events read from the database, oldest first. */
  fill(rows: readonly EventRow[]): void {
    const here = this.#events.map(({ row }) => row);
    const last = rows.at(-1)?.id ?? 0;
    this.clear();
    for (const row of [...rows, ...here.filter(({ id }) => id > last)]) this.push(row);
  }

  clear(): void {
    this.#events = [];
    this.#bytes = 0;
  }

  #forgetHalf(): void {
    this.#events = this.#events.slice(Math.ceil(this.#events.length / 2));
    this.#bytes = this.#events.reduce((sum, { frame }) => sum + frame.length, 0);
  }
}
