// How many downloads each tenant has on a day. They are counted here and written down together, at most a second late: no
// download waits for the one row that all of its tenant would want. A server that is killed forgets that second.
import type { Key } from '../../platform/db/tables.ts';
import type { Platform } from '../../platform/server.ts';
import { ShortMemory } from '../../platform/short-memory.ts';
import { toDay } from './record-file.ts';
import { addDownloads } from './usage-queries.ts';

const mostReaders = 10_000;
const dayMs = 24 * 3600_000;

type Ground = Pick<Platform, 'database' | 'clock' | 'log'>;
type Count = { readonly tenantId: Key; readonly day: number; count: number };

const writeEveryMs = 1000;

export class Downloads implements AsyncDisposable {
  readonly #ground: Ground;
  #counts = new Map<string, Count>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Who has had a part of what, by day. */
  readonly #parts: ShortMemory<string, true>;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#parts = new ShortMemory({ clock: ground.clock, most: mostReaders, idleMs: dayMs });
  }

  /** Whether this reader of this file has had no part of it today; from now on it has. */
  isFirstPart(reading: string): boolean {
    const key = `${toDay(this.#ground.clock.now())}:${reading}`;
    if (this.#parts.get(key)) return false;
    this.#parts.set(key, true);
    return true;
  }

  /** One more, now. */
  count(tenantId: Key): void {
    this.#add({ tenantId, day: toDay(this.#ground.clock.now()), count: 1 });
    this.#timer ??= setTimeout(() => this.settle(), writeEveryMs).unref();
  }

  /** When this resolves, what was counted here before is written down, or will be tried again. Never throws. */
  settle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#parts[Symbol.dispose]();
    return this.settle();
  }

  #add(added: Count): void {
    const key = `${added.day} ${added.tenantId}`;
    const known = this.#counts.get(key);
    if (known) known.count += added.count;
    else this.#counts.set(key, added);
  }

  async #write(): Promise<void> {
    const { database, log } = this.#ground;
    const counts = [...this.#counts.values()].sort((a, b) => a.tenantId - b.tenantId || a.day - b.day);
    if (counts.length === 0) return;
    this.#counts = new Map();
    try {
      await database.db.transaction().execute(async tx => {
        for (const { tenantId, day, count } of counts) await addDownloads(tx, tenantId, day, count);
      });
    } catch (err) {
      for (const count of counts) this.#add(count);
      log.warn({ err }, 'downloads could not be counted; the next time they are');
    }
  }
}
