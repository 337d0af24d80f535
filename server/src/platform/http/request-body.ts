// The bytes of a request whose verb reads them itself. A verb may stop reading at any block: the connection stays whole, so
// that the refusal reaches the client, and what the client still sends is thrown away up to a bound.
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@recordproof/shared/api/errors.ts';

const mostThrownAwayBytes = 256 * 1024 * 1024;
const mostThrownAwayMs = 30_000;

export const openBody = (request: IncomingMessage): AsyncIterable<Buffer> => ({
  [Symbol.asyncIterator]: () => {
    const blocks = request.iterator({ destroyOnReturn: false });
    return {
      next: () => blocks.next().catch(cause => Promise.reject(toBreak(cause))),
      return: () => blocks.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    };
  },
});

/** Said with the codes of the network, which must not be taken for those of a service behind this one. */
export const toBreak = (cause: unknown): ApiError => new ApiError('BAD_REQUEST', 'the request broke off', { cause });

/** Call when the answer is on its way. A client that sends on and on is cut off. */
export function throwAwayRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  let left = mostThrownAwayBytes;
  const timer = setTimeout(() => request.destroy(), mostThrownAwayMs).unref();
  request.on('data', (block: Buffer) => {
    left -= block.length;
    if (left < 0) request.destroy();
  });
  request.on('error', () => undefined);
  request.on('close', () => clearTimeout(timer));
  request.removeAllListeners('readable'); // the verb's own reading, which would hold the stream back
  setImmediate(() => request.resume());
}

/** Call when the answer is out. A client that then still sends, or never ends, has this long and no longer. */
export function cutOffLate(request: IncomingMessage, afterMs: number): void {
  if (request.complete || request.destroyed) return;
  const cutOff = () => {
    if (!request.complete) request.destroy();
  };
  const timer = setTimeout(cutOff, Math.min(afterMs, mostThrownAwayMs)).unref();
  request.on('close', () => clearTimeout(timer));
}
