// Last use of each API token, with address, to the minute. Written in the background: no request waits for it.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import type { Platform } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { noteUse } from './queries.ts';

const everyMs = 60_000;
const mostRemembered = 10_000;

type Use = { readonly at: Time; readonly from: string };

export class LastUses implements AsyncDisposable {
  readonly #platform: Pick<Platform, 'database' | 'clock' | 'log'>;
  /** Uses that this server has written or is writing. */
  readonly #noted = new BoundedMap<Key, Time>(mostRemembered);
  readonly #waiting = new Map<Key, Use>();
  #writing: Promise<void> | undefined;

  constructor(platform: Pick<Platform, 'database' | 'clock' | 'log'>) {
    this.#platform = platform;
  }

  /** `lastUsedAt` as stored in the database. */
  note(id: Key, lastUsedAt: Time | null, from: string): void {
    const now = this.#platform.clock.now();
    const isFresh = (at: Time | null | undefined): boolean => at != null && at <= now && now - at < everyMs;
    if (isFresh(lastUsedAt) || isFresh(this.#noted.get(id))) return;
    this.#noted.set(id, now);
    this.#waiting.set(id, { at: now, from });
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve));
    const { database, log } = this.#platform;
    try {
      for (const [id, use] of this.#waiting) {
        this.#waiting.delete(id);
        await noteUse(database.db, id, use, use.at - everyMs);
      }
    } catch (error) {
      log.warn({ error: toErrorText(error) }, 'failed to store when API tokens were last used');
    } finally {
      this.#writing = undefined;
    }
  }

  /** Resolves once all uses noted so far are written or have failed. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }
}
