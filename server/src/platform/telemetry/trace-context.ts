// W3C trace context: continues the caller's trace where it sends one, starts one where it does not, and hands it on
// to whatever a request calls. Works without any tracing set up, so that logs of several services can be joined.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';

export type TraceContext = {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the span that calls from here have as their parent. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** `tracestate`, passed on as it came. */
  readonly state?: string;
};

const traceparent = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing = /^0+$/;
const tracestate = /^[\x20-\x7e]{1,512}$/;

type Header = string | string[] | undefined;

/** The caller's context; undefined when there is none or it breaks the standard. Both headers are the caller's word. */
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

/** One call for many ids: asking for 24 bytes costs as much as asking for thousands. */
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

/** Everything that `run` starts, now or later, belongs to this trace; to none where it is undefined. */
export const withTrace = <T>(trace: TraceContext | undefined, run: () => T): T => current.run(trace, run);

export const currentTrace = (): TraceContext | undefined => current.getStore();

const toTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** What a row keeps of the current trace, so that whoever does its work later carries on; null where nobody watches. */
export function traceToKeep(): string | null {
  const trace = currentTrace();
  return trace?.sampled ? toTraceparent(trace) : null;
}

/** Headers for a call to another service on behalf of what runs now; none outside of any trace. */
export function traceHeaders(trace: TraceContext | undefined = currentTrace()): Record<string, string> {
  if (!trace) return {};
  const headers = { traceparent: toTraceparent(trace) };
  return trace.state === undefined ? headers : { ...headers, tracestate: trace.state };
}
