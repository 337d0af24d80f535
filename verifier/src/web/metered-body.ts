// A request body with two limits: size and rate. A stalled body would occupy a slot, so the required rate doubles while
// others wait.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from './errors.ts';

export type BodyLimits = { maxBytes: number; minBytesPerPeriod: number; periodMillis: number };

/** Sixteen times the basic rate: feasible on any line suitable for files of this size. */
const maxHaste = 16;

/** `tooSlow` is called at most once, while waiting for the body; `isWanted` says whether others wait. */
export async function* meteredBody(
  request: IncomingMessage,
  limits: BodyLimits,
  tooSlow: () => void,
  isWanted: () => boolean = () => false,
): AsyncGenerator<Buffer> {
  let received = 0;
  let before = 0;
  let haste = 1;
  const watch = setInterval(() => {
    if (received - before < limits.minBytesPerPeriod * haste) {
      clearInterval(watch);
      tooSlow();
    }
    before = received;
    haste = isWanted() ? Math.min(2 * haste, maxHaste) : 1;
  }, limits.periodMillis);
  try {
    for await (const block of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += block.length;
      if (received > limits.maxBytes) throw new ServiceError('REQUEST_TOO_LARGE');
      yield block;
    }
  } finally {
    clearInterval(watch);
  }
}

/** The Content-Length; undefined if there is none. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}

export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || (announcedBytes(request) ?? 0) > 0;
