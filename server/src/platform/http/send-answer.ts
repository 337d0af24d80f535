// Sends what a verb answered: in the envelope, or with a body of its own.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toApiError } from './answers.ts';
import type { Door } from './door.ts';
import { freeWhatIsTaken } from './response-body.ts';
import type { PlainAnswer } from './route.ts';

export function sendEnvelope(reply: FastifyReply, envelope: string): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  reply.header('content-type', 'application/json; charset=utf-8').send(envelope);
}

/** Answers with the reply itself: a stream has sent nothing yet when this returns, and must not be taken for no answer. */
export function sendPlain(
  door: Pick<Door, 'failures'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 200, headers, body, ownsBlocks }: PlainAnswer,
): FastifyReply {
  if (headers) reply.headers(headers);
  if (ownsBlocks) freeWhatIsTaken(reply.raw);
  // Before the framework adds its own listener, which closes the connection.
  if (body instanceof Readable) body.once('error', error => noteBreak(door, request, reply, error));
  // No body is an empty stream: of anything else the framework would announce a length and a type, also for 304 and HEAD.
  return reply.code(status).send(body ?? Readable.from([]));
}

/** An answer that fails after its first byte is broken off. Its client sees no reason, so the log must name it. */
function noteBreak({ failures }: Pick<Door, 'failures'>, request: FastifyRequest, reply: FastifyReply, cause: unknown) {
  if (!reply.raw.headersSent || reply.raw.destroyed) return; // an ordinary rejection, or the client has disconnected
  const error = toApiError(cause);
  request.state.brokenOffWith = error;
  failures.add(request, error);
}
