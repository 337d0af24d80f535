// Last uses of sessions: noted in memory, written in the background, at most once in five minutes per session. A use
// lost in a crash only makes the list a few minutes older.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Platform } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { touchSession } from './session-queries.ts';

const writtenEveryMs = 5 * 60_000;
const rememberedSessions = 10_000;

type Use = { readonly tenantId: Key; readonly tokenId: string; readonly address: string; readonly usedAt: Time };

type Options = Pick<Platform, 'database' | 'clock' | 'log'> & { readonly tokenLifetimeMs: number };

export class SessionUses implements AsyncDisposable {
  readonly #options: Options;
  readonly #noted = new BoundedMap<string, Time>(rememberedSessions);
  #waiting: Use[] = [];
  #writing: Promise<void> | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  note({ tenantId, tokenId, tokenExpiresAt, authenticatedAt }: Actor, address: string): void {
    if (authenticatedAt === null) return;
    const { clock, tokenLifetimeMs } = this.#options;
    const usedAt = clock.now();
    const lastUsedAt = this.#noted.get(tokenId) ?? tokenExpiresAt - tokenLifetimeMs;
    if (usedAt - lastUsedAt < writtenEveryMs) return;
    this.#noted.set(tokenId, usedAt);
    this.#waiting.push({ tenantId, tokenId, address, usedAt });
    this.#writing ??= this.#write();
  }

  /** Resolves when all noted uses are written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { database, log } = this.#options;
    await Promise.resolve(); // uses of the same event-loop turn share a transaction
    try {
      while (this.#waiting.length > 0) {
        const uses = this.#waiting.splice(0).sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1));
        await database.db.transaction().execute(async tx => {
          for (const use of uses) await touchSession(tx, use.tenantId, use.tokenId, use.address, use.usedAt);
        });
      }
    } catch (error) {
      log.warn(
        { reason: toErrorText(error) },
        'failed to store when sessions were last used; retrying with their next use',
      );
    } finally {
      this.#writing = null;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }
}
