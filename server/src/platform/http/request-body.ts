// Request bodies that handlers read as streams. A handler may stop at any block: the connection stays open so that the
// error reaches the client, and the rest of the body is discarded up to a limit.
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@recordproof/shared/api/errors.ts';

const mostThrownAwayBytes = 256 * 1024 * 1024;
const mostThrownAwayMs = 30_000;

export const openBody = (request: IncomingMessage): AsyncIterable<Buffer> => ({
  [Symbol.asyncIterator]: () => {
    const blocks = request.iterator({ destroyOnReturn: false });
    return {
      next: () => blocks.next().catch(cause => Promise.reject(toInterruption(cause))),
      return: () => blocks.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    };
  },
});

/** An own error, because its network code must not count against a service behind this server. */
export const toInterruption = (cause: unknown): ApiError =>
  new ApiError('BAD_REQUEST', 'the connection was lost before all bytes arrived; send the request again', { cause });

/** Call when the response is being sent. A client that keeps sending beyond the limits is disconnected. */
export function discardRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  let left = mostThrownAwayBytes;
  const timer = setTimeout(() => request.destroy(), mostThrownAwayMs).unref();
  request.on('data', (block: Buffer) => {
    left -= block.length;
    if (left < 0) request.destroy();
  });
  request.on('error', () => undefined);
  request.on('close', () => clearTimeout(timer));
  request.removeAllListeners('readable'); // left by the handler; it would pause the stream
  setImmediate(() => request.resume());
}

/**
 * Call when the response has been sent. A client that has not finished its request within this time is disconnected.
 */
export function disconnectLate(request: IncomingMessage, afterMs: number): void {
  if (request.complete || request.destroyed) return;
  const cutOff = () => {
    if (!request.complete) request.destroy();
  };
  const timer = setTimeout(cutOff, Math.min(afterMs, mostThrownAwayMs)).unref();
  request.on('close', () => clearTimeout(timer));
}
