// The access token for the transit service: from a setting, or from a file that an agent updates. Renewed at half of
// its lifetime if it is renewable. Never shown.
import type { Clock } from '../clock.ts';
import type { LogPort } from '../log-port.ts';
import { KeyProviderError } from './envelope.ts';
import { openSecret, type SecretSource } from './secret-file.ts';

export type TokenLife = { readonly ttlSeconds: number; readonly isRenewable: boolean };

/** Look-up and renewal of the token; both resolve to its remaining lifetime. */
type TokenCalls = {
  look(token: string): Promise<TokenLife>;
  renew(token: string): Promise<TokenLife>;
};

type Tools = { readonly clock: Clock; readonly log: LogPort };

const checkEveryMs = 15_000;

export class VaultToken implements Disposable {
  readonly #source: SecretSource;
  /** Reads the file again on each call if it has changed. */
  readonly get: () => Promise<string>;
  readonly #calls: TokenCalls;
  readonly #tools: Tools;
  readonly #timer: NodeJS.Timeout;
  #watched: { readonly token: string; readonly renewAt: number } | undefined;

  constructor(source: SecretSource, calls: TokenCalls, tools: Tools) {
    this.#source = source;
    this.get = openSecret(source, 'token');
    this.#calls = calls;
    this.#tools = tools;
    this.#timer = setInterval(() => void this.renewIfDue(), checkEveryMs).unref();
  }

  /** Whether the file has another token by now, so that a retry makes sense. */
  async isReplaced(rejected: string): Promise<boolean> {
    return this.#source.kind === 'file' && (await this.get().catch(() => rejected)) !== rejected;
  }

  /** Never throws: the next call that uses the token reports the problem. */
  async renewIfDue(): Promise<void> {
    const now = this.#tools.clock.now();
    try {
      const token = await this.get();
      if (this.#watched?.token === token && now < this.#watched.renewAt) return;
      const life = this.#watched?.token === token ? await this.#calls.renew(token) : await this.#calls.look(token);
      const renewAt = life.isRenewable && life.ttlSeconds > 0 ? now + life.ttlSeconds * 500 : Number.POSITIVE_INFINITY;
      this.#watched = { token, renewAt };
    } catch (error) {
      const category = error instanceof KeyProviderError ? error.category : 'INTERNAL';
      this.#tools.log.warn({ category }, 'failed to renew the token of the key service');
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#watched = undefined;
  }
}
