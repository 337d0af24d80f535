// Rejections: how the error of a request is counted, recorded in the audit log, logged and sent.
import type { RateClass } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, andThen } from '../awaitable.ts';
import { limit, toRateKey } from './admit.ts';
import { toApiError } from './answers.ts';
import type { HttpContext } from './http-context.ts';
import { findRejectedAct } from './rejected-acts.ts';
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
