// The body of a request as it comes, with its two limits: how much, and how slowly. A body that stalls would keep its
// place from somebody else.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from './errors.ts';

export type BodyLimits = { maxBytes: number; minBytesPerPeriod: number; periodMillis: number };

/** `tooSlow` is called at most once, while the body is being waited for. */
export async function* meteredBody(
  request: IncomingMessage,
  limits: BodyLimits,
  tooSlow: () => void,
): AsyncGenerator<Buffer> {
  let received = 0;
  let before = 0;
  const watch = setInterval(() => {
    if (received - before < limits.minBytesPerPeriod) {
      clearInterval(watch);
      tooSlow();
    }
    before = received;
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

/** The length that was announced; undefined when none was. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}
