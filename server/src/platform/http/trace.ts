// W3C trace context: continues the caller's trace where it sends one, starts one where it does not.
import { randomBytes } from 'node:crypto';

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const nothing = /^0+$/;

export function readTraceId(header: string | string[] | undefined): string {
  const match = typeof header === 'string' ? traceparent.exec(header) : null;
  const traceId = match?.[1];
  if (traceId === undefined || nothing.test(traceId) || header?.slice(0, 2) === 'ff')
    return randomBytes(16).toString('hex');
  return traceId;
}
