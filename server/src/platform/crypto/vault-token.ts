// The token that opens the transit service: from a setting or from a file that an agent keeps fresh. Renews it while it can
// be renewed, at half of its life. Never shows it.
import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { LogPort } from '../log-port.ts';
import { KeyProviderError } from './envelope.ts';

export type TokenSource =
  | { readonly kind: 'value'; readonly reveal: () => string }
  | { readonly kind: 'file'; readonly path: string };

export type TokenLife = { readonly ttlSeconds: number; readonly isRenewable: boolean };

/** How the token's own life is asked for and prolonged; both resolve to what is left of it then. */
type TokenCalls = {
  look(token: string): Promise<TokenLife>;
  renew(token: string): Promise<TokenLife>;
};

type Tools = { readonly clock: Clock; readonly log: LogPort };

const longestFile = 16 * 1024;
const checkEveryMs = 15_000;

export class VaultToken implements Disposable {
  readonly #source: TokenSource;
  readonly #calls: TokenCalls;
  readonly #tools: Tools;
  readonly #timer: NodeJS.Timeout;
  #fromFile: { readonly stamp: string; readonly token: string } | undefined;
  #watched: { readonly token: string; readonly renewAt: number } | undefined;

  constructor(source: TokenSource, calls: TokenCalls, tools: Tools) {
    this.#source = source;
    this.#calls = calls;
    this.#tools = tools;
    this.#timer = setInterval(() => void this.renewIfDue(), checkEveryMs).unref();
  }

  async get(): Promise<string> {
    return this.#source.kind === 'value' ? this.#source.reveal() : this.#readFile(this.#source.path);
  }

  /** Whether the refused token has been replaced meanwhile, so that it is worth asking again. */
  async isReplaced(refused: string): Promise<boolean> {
    return this.#source.kind === 'file' && (await this.get().catch(() => refused)) !== refused;
  }

  /** Nothing is thrown: a token that cannot be renewed is told by the call that needs it. */
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
      this.#tools.log.warn({ category }, 'the token of the key service was not renewed');
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#fromFile = undefined;
    this.#watched = undefined;
  }

  async #readFile(path: string): Promise<string> {
    const unreadable = (why: string, cause?: unknown) =>
      new KeyProviderError('CONFIGURATION', `the token file ${path} ${why}`, cause);
    const { ino, size, mtimeNs, mode } = await stat(path, { bigint: true }).catch(error => {
      throw unreadable('cannot be read', error);
    });
    const stamp = `${ino} ${size} ${mtimeNs}`;
    if (this.#fromFile?.stamp === stamp) return this.#fromFile.token;
    if (process.platform !== 'win32' && (mode & 0o007n) !== 0n) throw unreadable('can be read by everybody');
    if (size > longestFile) throw unreadable('is too long for a token');
    const token = (await readFile(path, 'utf8')).trim();
    if (!/^[\x21-\x7e]{1,8192}$/.test(token)) throw unreadable('holds no token');
    this.#fromFile = { stamp, token };
    return token;
  }
}
