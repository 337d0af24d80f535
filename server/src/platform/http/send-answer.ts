// Sending the result of a handler: in the envelope, or with a body of its own.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Awaitable } from '../awaitable.ts';
import { toApiError } from './answers.ts';
import { sendCompressed } from './content-encoding.ts';
import type { HttpContext } from './http-context.ts';
import { freeSentBlocks } from './response-body.ts';
import type { PlainAnswer } from './route.ts';

export function sendEnvelope(reply: FastifyReply, envelope: string): Awaitable<FastifyReply> {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  return sendCompressed(reply.header('content-type', 'application/json; charset=utf-8'), envelope);
}

/**
 * Returns the reply itself: the framework would take undefined for a missing response, as a stream has sent nothing
 * yet.
 */
export function sendPlain(
  context: Pick<HttpContext, 'failures'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 200, headers, body, ownsBlocks }: PlainAnswer,
): Awaitable<FastifyReply> {
  if (headers) reply.headers(headers);
  if (ownsBlocks) freeSentBlocks(reply.raw);
  // Registered before the framework's own listener, which closes the connection.
  if (body instanceof Readable) body.once('error', error => noteBreak(context, request, reply, error));
  reply.code(status);
  if (typeof body === 'string' || body instanceof Uint8Array) return sendCompressed(reply, body);
  // An empty stream stands for no body: otherwise the framework adds a length and a type, even for 304 and HEAD.
  return reply.send(body ?? Readable.from([]));
}

/** The request was rejected meanwhile: a stream that is never read leaves its file open. */
export function dropBody({ body }: PlainAnswer): void {
  if (body instanceof Readable) body.destroy();
}

/** Logs a response that failed after its first byte: it is aborted, so the client sees no reason. */
function noteBreak(
  { failures }: Pick<HttpContext, 'failures'>,
  request: FastifyRequest,
  reply: FastifyReply,
  cause: unknown,
) {
  if (!reply.raw.headersSent || reply.raw.destroyed) return; // an ordinary error, or the client has disconnected
  const error = toApiError(cause);
  request.state.brokenOffWith = error;
  failures.add(request, error);
}
