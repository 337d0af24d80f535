// W3C trace context: continues the caller's trace or starts one, and passes it on to outgoing calls. It works without
// tracing, so that logs of several services can be correlated.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';

export type TraceContext = {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the parent span of outgoing calls. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** `tracestate`, passed on unchanged. */
  readonly state?: string;
};

const traceparent = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing = /^0+$/;
const tracestate = /^[\x20-\x7e]{1,512}$/;

type Header = string | string[] | undefined;

/** The caller's context; undefined if absent or invalid. Both headers are attacker-controlled. */
export function parseTrace(parent: Header, state: Header): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    (typeof parent === 'string' && traceparent.exec(parent)) || [];
  if (version === undefined || nothing.test(traceId) || nothing.test(spanId)) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  return typeof state === 'string' && tracestate.test(state)
    ? { traceId, spanId, sampled, state }
    : { traceId, spanId, sampled };
}

/** Random bytes are drawn in bulk: a call for 24 bytes costs as much as one for thousands. */
const idBytes = 24;
const pool = Buffer.alloc(idBytes * 256);
let used = pool.length;

export function startTrace(): TraceContext {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.toString('hex', used, used + idBytes);
  used += idBytes;
  return { traceId: random.slice(0, 32), spanId: random.slice(32), sampled: false };
}

const current = new AsyncLocalStorage<TraceContext | undefined>();

/** Everything that `run` starts, now or later, belongs to this trace; to none if undefined. */
export const withTrace = <T>(trace: TraceContext | undefined, run: () => T): T => current.run(trace, run);

export const currentTrace = (): TraceContext | undefined => current.getStore();

const toTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** The current trace as stored in a row, so that later work continues it; null if it is not sampled. */
export function traceToKeep(): string | null {
  const trace = currentTrace();
  return trace?.sampled ? toTraceparent(trace) : null;
}

/** Headers for a call to another service; none outside a trace. */
export function traceHeaders(trace: TraceContext | undefined = currentTrace()): Record<string, string> {
  if (!trace) return {};
  const headers = { traceparent: toTraceparent(trace) };
  return trace.state === undefined ? headers : { ...headers, tracestate: trace.state };
}
