// HTTP client for Vault or OpenBao, with limits for time and size. Rejects with KeyProviderError only; the server's
// error texts are not passed on. Follows no redirects.
import { jsonOrNone } from '@recordproof/shared/json-or-none.ts';
import { z } from 'zod';
import type { CircuitBreaker } from '../circuit-breaker.ts';
import type { Clock } from '../clock.ts';
import type { LogPort } from '../log-port.ts';
import { KeyProviderError } from './envelope.ts';
import { toCallFailure } from './remote-keys.ts';
import type { SecretSource } from './secret-file.ts';
import { toOutage, toRejection } from './vault-errors.ts';
import { type TokenLife, VaultToken } from './vault-token.ts';

export type VaultOptions = {
  /** Such as https://vault.example.org:8200. */
  readonly address: string;
  readonly token: SecretSource;
  readonly namespace?: string | undefined;
  readonly timeoutMs: number;
};

export type VaultTools = { readonly clock: Clock; readonly log: LogPort; readonly breaker: CircuitBreaker };

type VaultRequest<T> = {
  readonly method: 'GET' | 'POST';
  /** Below `/v1/`, with encoded segments. */
  readonly path: string;
  readonly body?: unknown;
  readonly answer: z.ZodType<T>;
};

const longestAnswer = 4 * 1024 * 1024;
const rejection = z.object({ errors: z.array(z.string()).optional() });
const selfLookup = z.object({
  data: z.object({ ttl: z.number().nonnegative(), renewable: z.boolean().default(false) }),
});
const selfRenewal = z.object({ auth: z.object({ lease_duration: z.number().nonnegative(), renewable: z.boolean() }) });

export class VaultClient implements Disposable {
  readonly token: VaultToken;
  readonly #options: VaultOptions;
  readonly #tools: VaultTools;

  constructor(options: VaultOptions, tools: VaultTools) {
    this.#options = options;
    this.#tools = tools;
    this.token = new VaultToken(
      options.token,
      { look: token => this.#lookUpToken(token), renew: token => this.#renew(token) },
      tools,
    );
  }

  /** If the token is rejected and its file has a new one by then, retries once with the new one. */
  async call<T>(request: VaultRequest<T>): Promise<T> {
    const token = await this.token.get();
    try {
      return await this.#callWith(token, request);
    } catch (error) {
      if (!(error instanceof KeyProviderError) || error.category !== 'PERMISSION_DENIED') throw error;
      if (!(await this.token.isReplaced(token))) throw error;
      return this.#callWith(await this.token.get(), request);
    }
  }

  [Symbol.dispose](): void {
    this.token[Symbol.dispose]();
  }

  async #lookUpToken(token: string): Promise<TokenLife> {
    const { data } = await this.#callWith(token, { method: 'GET', path: 'auth/token/lookup-self', answer: selfLookup });
    return { ttlSeconds: data.ttl, isRenewable: data.renewable };
  }

  async #renew(token: string): Promise<TokenLife> {
    const request = { method: 'POST', path: 'auth/token/renew-self', body: {}, answer: selfRenewal } as const;
    const { auth } = await this.#callWith(token, request);
    return { ttlSeconds: auth.lease_duration, isRenewable: auth.renewable };
  }

  async #callWith<T>(token: string, request: VaultRequest<T>): Promise<T> {
    try {
      return await this.#tools.breaker.run(() => this.#exchange(token, request));
    } catch (error) {
      throw toCallFailure(error, 'the key service');
    }
  }

  async #exchange<T>(token: string, { method, path, body, answer }: VaultRequest<T>): Promise<T> {
    const { address, namespace, timeoutMs } = this.#options;
    const headers = {
      'x-vault-token': token,
      'x-vault-request': 'true',
      ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const init = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) } as const;
    const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${address}/v1/${path}`, sent);
      status = response.status;
      text = await readBounded(response);
    } catch (error) {
      throw toOutage(error);
    }
    return toAnswer(status, jsonOrNone(text), { method, path, answer });
  }
}

function toAnswer<T>(status: number, json: unknown, { method, path, answer }: VaultRequest<T>): T {
  const parsed = answer.safeParse(json);
  // A batch with failed items has status 400, and still the result of each item.
  if (parsed.success && (status < 300 || status === 400)) return parsed.data;
  if (status >= 300) throw toRejection(status, rejection.safeParse(json).data?.errors ?? []);
  throw new KeyProviderError(
    'INVALID_RESPONSE',
    `the response of the key service to ${method} /v1/${path} lacks fields of the Transit API; check vault-address and vault-mount`,
  );
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > longestAnswer)
      throw new KeyProviderError('INVALID_RESPONSE', `the response of the key service exceeds ${longestAnswer} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
