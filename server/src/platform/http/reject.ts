// Rejections: how the error of a request is counted, recorded in the audit log, logged and sent.
import type { Access, AnyEndpoint, RateClass } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, andThen } from '../awaitable.ts';
import { callAs } from '../call.ts';
import type { Clock } from '../clock.ts';
import { limit, toRateKey } from './admit-request.ts';
import { toApiError } from './answers.ts';
import type { HttpContext, RejectedAct } from './http-context.ts';
import { toInterruption } from './request-body.ts';
import { renderError } from './show-error.ts';

/** Error of the framework when a client disconnects during a streamed response. */
const unreadStreamCode = 'ERR_STREAM_PREMATURE_CLOSE';

/** Counts calls that never reached the handler, which counts by itself. */
export async function rejectCounted(
  context: HttpContext,
  rateClass: RateClass,
  error: unknown,
  raw: FastifyRequest,
  reply: FastifyReply,
) {
  let rejection = toRejection(raw, reply, error);
  try {
    const isCounted = raw.state.hasReachedVerb || rejection.kind === 'RATE_LIMITED';
    if (!isCounted) await limit(context, rateClass, toRateKey(raw.state), reply);
  } catch (overLimit) {
    rejection = toApiError(overLimit);
  }
  return reject(context, raw, reply, rejection);
}

/** Errors after the client aborted are the client's: neither ours nor of a service behind us. */
export function toRejection({ raw }: FastifyRequest, reply: FastifyReply, error: unknown): ApiError {
  const isAnswerBroken = reply.raw.destroyed && (error as { code?: unknown }).code === unreadStreamCode;
  return error === raw.errored || isAnswerBroken ? toInterruption(error) : toApiError(error);
}

/** A rejected operation is in the audit log before the response is sent. */
export function reject(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
): Awaitable<FastifyReply> {
  const act = context.recordRejected === undefined ? null : findRejectedAct(context.clock, request, error);
  return andThen(act === null ? undefined : context.recordRejected?.(act), () =>
    reply.sent ? reply : sendError(reply, logged(context, request, error)),
  );
}

/** A response that has begun can only be aborted. */
export function rejectLate(context: HttpContext, request: FastifyRequest, reply: FastifyReply, error: ApiError): void {
  if (reply.sent || reply.raw.destroyed) return;
  if (reply.raw.headersSent) return void reply.raw.destroy();
  if (!request.raw.complete) reply.header('connection', 'close'); // the rest of the body is no next request
  sendError(reply, logged(context, request, error));
}

export function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(error.status).header('cache-control', 'no-store');
  const { headers, state } = reply.request;
  const rendered = renderError(error, headers, state.trace.traceId, reply.server.showError);
  return reply.headers(rendered.headers).send(rendered.body);
}

export function logged({ failures }: HttpContext, request: FastifyRequest, error: ApiError): ApiError {
  failures.add(request, error);
  return error;
}

const recorded: ReadonlySet<number> = new Set([403, 409, 422]);

const isAdministrative = (access: Access): boolean =>
  access === 'management' || access.startsWith('system:') || access.endsWith(':admin');

const isAct = ({ method, access }: AnyEndpoint): boolean => method !== 'GET' || isAdministrative(access);

const isId = (name: string): boolean => name === 'id' || name === 'hash' || /(Id|Hash)$/.test(name);
const maxIdLength = 100;

/** Null for anonymous callers, ordinary reads, and other errors. */
function findRejectedAct(clock: Clock, { state, params }: FastifyRequest, error: ApiError): RejectedAct | null {
  const { endpoint, caller } = state;
  if (endpoint === undefined || caller.kind !== 'user' || !recorded.has(error.status) || !isAct(endpoint)) return null;
  const startedAt = clock.now() - Math.round(performance.now() - state.startedAt);
  const origin = { ip: state.ip, url: state.route, method: endpoint.method, startedAt };
  const ids = Object.entries((params ?? {}) as Record<string, string>)
    .filter(([name]) => isId(name))
    .map(([name, value]) => [name, value.slice(0, maxIdLength)]);
  return { call: callAs(origin, caller.actor), endpoint, error, ids: Object.fromEntries(ids) };
}
