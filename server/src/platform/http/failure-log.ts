// Log of requests that failed on the server's side: one error with its stack for each. Outages of the key service share
// one warning a minute, which names the last cause.
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { KeyProviderError } from '../crypto/envelope.ts';
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';

export const shuttingDown = 'this server is shutting down';

const quietMs = 60_000;

export class FailureLog {
  readonly #ground: { readonly log: Log; readonly clock: Clock };
  #warnedAt = Number.NEGATIVE_INFINITY;
  /** Outages of the key service since the last warning. */
  #unlogged = 0;

  constructor(ground: { readonly log: Log; readonly clock: Clock }) {
    this.#ground = ground;
  }

  add({ method, state }: Pick<FastifyRequest, 'method' | 'state'>, error: ApiError): void {
    if (error.status < 500 || error.message === shuttingDown) return;
    const title = `${method} ${state.route} failed: ${error.message}`; // the route pattern: a path may contain a secret
    const { traceId } = state.trace;
    const { cause } = error;
    if (cause instanceof KeyProviderError && cause.isOutage) this.#warn(traceId, cause, title);
    else this.#ground.log.error({ traceId, err: cause ?? error }, title);
  }

  #warn(traceId: string, cause: KeyProviderError, title: string): void {
    const { log, clock } = this.#ground;
    const now = clock.now();
    if (Math.abs(now - this.#warnedAt) < quietMs) {
      this.#unlogged += 1;
      return;
    }
    log.warn({ traceId, category: cause.category, error: toErrorText(cause), before: this.#unlogged }, title);
    this.#warnedAt = now;
    this.#unlogged = 0;
  }
}
