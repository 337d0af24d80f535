// The body of a request as it comes, with its two limits: how much, and how slowly. A body that stalls would keep its
// place from somebody else, so the pace that is asked for doubles as long as others wait.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from './errors.ts';

export type BodyLimits = { maxBytes: number; minBytesPerPeriod: number; periodMillis: number };

/** Sixteen times the pace of quiet hours: what any line can do on which files of this size are sent at all. */
const maxHaste = 16;

/** `tooSlow` is called at most once, while the body is being waited for; `isWanted` says whether others wait. */
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

/** The length that was announced; undefined when none was. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}
