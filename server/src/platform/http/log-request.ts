// Access log: one line per request. It has the route pattern instead of the path, which may contain a secret.
import type { FastifyRequest } from 'fastify';
import type { Log } from '../telemetry/log.ts';

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
