// Spans for requests and for the steps inside them. Off unless a collector is configured, and then nothing of
// OpenTelemetry is even loaded. A collector that is down costs nobody anything but the spans.
import type { TracingConfig } from '../../config.ts';
import type { Log } from './log.ts';
import type { TraceContext } from './trace-context.ts';

export type RequestSpan = {
  /** What runs inside the request carries on. */
  readonly trace: TraceContext;
  end(answer: { readonly route: string; readonly status: number }): void;
};

export type StepKind = 'internal' | 'client' | 'producer' | 'consumer';

export type Tracing = AsyncDisposable & {
  /** The span of one request; `caller` is the context that came with it. */
  startRequest(method: string, caller: TraceContext | undefined): RequestSpan;
  /**
   * Runs a step as a child of the current trace. The name and the attributes say what kind of step it is, never whose:
   * no ids, no addresses of people, no secrets.
   */
  step<T>(name: string, kind: StepKind, run: () => Promise<T>): Promise<T>;
};

/** Undefined when no collector is configured. Disposing sends what is left, within a bounded time. */
export async function openTracing(
  config: TracingConfig,
  ports: { readonly log: Pick<Log, 'info' | 'warn'>; readonly version: string },
): Promise<Tracing | undefined> {
  if (config.kind === 'off') return undefined;
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing(config, ports);
}
