// Audit rows for API tokens used from addresses outside their allowlist: one per token, address and hour. After ten
// addresses of a token in an hour, one more row covers all others, so that the number of rows is bounded.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { callAs, localOrigin } from '../../platform/call.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import type { Platform } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { recordAudit } from '../audit/index.ts';
import type { LiveRow } from './queries.ts';

const windowMs = 3600_000;
const mostTokens = 10_000;
const mostAddresses = 10;
const others = 'other addresses';

type Window = { readonly openedAt: Time; readonly seen: Set<string> };
type Misused = Pick<LiveRow, 'tenant_id' | 'id' | 'username' | 'token_id' | 'name'>;

export class WrongAddresses implements AsyncDisposable {
  readonly #platform: Pick<Platform, 'database' | 'clock' | 'log'>;
  readonly #windows = new BoundedMap<Key, Window>(mostTokens);
  readonly #writing = new Set<Promise<void>>();

  constructor(platform: Pick<Platform, 'database' | 'clock' | 'log'>) {
    this.#platform = platform;
  }

  /** The request does not wait for the row. */
  note(token: Misused, ip: string): void {
    const now = this.#platform.clock.now();
    const { seen } = this.#windowOf(token.token_id, now);
    const address = seen.has(ip) || seen.size < mostAddresses ? ip : others;
    if (seen.has(address)) return;
    seen.add(address);
    const writing = this.#write(token, address, now).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  #windowOf(tokenId: Key, now: Time): Window {
    const current = this.#windows.get(tokenId);
    if (current && current.openedAt <= now && now - current.openedAt < windowMs) return current;
    const opened = { openedAt: now, seen: new Set<string>() };
    this.#windows.set(tokenId, opened);
    return opened;
  }

  async #write({ tenant_id, id, username, token_id, name }: Misused, address: string, now: Time): Promise<void> {
    const { database, log } = this.#platform;
    const apiToken = { id: token_id, name };
    const origin = { ...localOrigin('api-tokens.wrong-address', now), ip: address === others ? 'local' : address };
    const call = callAs(origin, { tenantId: tenant_id, userId: id, username, apiToken });
    const text = `API token rejected from ${address}`;
    try {
      await database.db
        .transaction()
        .execute(tx => recordAudit(tx, call, now, 'api-tokens.wrong-address', text, { address }));
    } catch (error) {
      log.warn({ error: toErrorText(error) }, 'failed to audit a rejected use of an API token');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing);
  }
}
