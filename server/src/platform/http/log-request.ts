// One line for each request: who asked for what, and how it ended. The pattern of the address, never the address itself: a
// path may open something.
import type { FastifyRequest } from 'fastify';
import type { Log } from '../telemetry/log.ts';

/** In place of a status, where the client was gone before its answer was. */
export const clientGone = 499;

/** Asked every few seconds, or with every page: only what goes wrong there is worth a line. */
const isRoutine = (route: string): boolean => route.startsWith('/actuator/') || route.startsWith('/assets/');

export function logRequest(log: Log, { state, method, raw }: FastifyRequest, status: number): void {
  if (state.isLogged) return; // a stream of events, at its begin
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
