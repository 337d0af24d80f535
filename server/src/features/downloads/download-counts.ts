// Download counts per tenant and day. Counted in memory and written in batches, at most a second late, so that
// downloads do not contend for one row. A crash loses that second.
import type { Key } from '../../platform/db/tables.ts';
import { ExpiringCache } from '../../platform/expiring-cache.ts';
import type { Platform } from '../../platform/server.ts';
import { toDay } from '../files/index.ts';
import { addDownloads } from '../quotas/index.ts';

const mostReaders = 10_000;
const dayMs = 24 * 3600_000;

type DownloadContext = Pick<Platform, 'database' | 'clock' | 'log'>;
type Count = { readonly tenantId: Key; readonly day: number; count: number };

const writeEveryMs = 1000;

export class Downloads implements AsyncDisposable {
  readonly #ground: DownloadContext;
  #counts = new Map<string, Count>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Partial downloads already counted, by day. */
  readonly #parts: ExpiringCache<string, true>;

  constructor(ground: DownloadContext) {
    this.#ground = ground;
    this.#parts = new ExpiringCache({ clock: ground.clock, most: mostReaders, idleMs: dayMs });
  }

  /** Whether this is the first partial download of this file by this reader today; records it. */
  isFirstPart(reading: string): boolean {
    const key = `${toDay(this.#ground.clock.now())}:${reading}`;
    if (this.#parts.get(key)) return false;
    this.#parts.set(key, true);
    return true;
  }

  /** Counts one download. */
  count(tenantId: Key): void {
    this.#add({ tenantId, day: toDay(this.#ground.clock.now()), count: 1 });
    this.#timer ??= setTimeout(() => this.flush(), writeEveryMs).unref();
  }

  /** Resolves when all counts so far are written or will be retried. Never throws. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#parts[Symbol.dispose]();
    return this.flush();
  }

  #add(added: Count): void {
    const key = `${added.day} ${added.tenantId}`;
    const existing = this.#counts.get(key);
    if (existing) existing.count += added.count;
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
      log.warn({ err }, 'failed to store download counts; retrying with the next ones');
    }
  }
}
