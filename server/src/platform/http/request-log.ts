// Logs of requests: an access log with one line for each, and the failures on the server's side. Both have the route
// pattern instead of the path, which may contain a secret.
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { KeyProviderError } from '../crypto/envelope.ts';
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';

export const shuttingDown = 'this server is shutting down';

const quietMs = 60_000;

/** One error with its stack for each. Outages of the key service share one warning a minute with the last cause. */
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
    const title = `${method} ${state.route} failed: ${error.message}`;
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

/** Status for requests whose client disconnected before the response. */
export const clientGone = 499;

/** Polled every few seconds or loaded with every page: only errors are logged. */
const isRoutine = (route: string): boolean => route.startsWith('/actuator/') || route.startsWith('/assets/');

export function logRequest(log: Log, { state, method, raw }: FastifyRequest, status: number): void {
  if (state.isLogged) return; // event streams are logged at their start
  state.isLogged = true;
  const { route, caller, ip, trace } = state;
  const level = isRoutine(route) && status < 400 ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  const ms = Math.round(performance.now() - state.startedAt);
  const bytes = raw.socket.bytesWritten - state.writtenBefore;
  const user = caller.kind === 'user' ? caller.actor.username : caller.kind;
  const entry = { traceId: trace.traceId, ip, user, method, path: route, status, bytes, ms };
  log[level](entry, `${ip} ${user} ${method} ${route} ${status} ${bytes} B ${ms} ms`);
}
