// Spans for requests and for the steps inside them. Off unless a collector is configured, and then nothing of
// OpenTelemetry is even loaded. A collector that is down costs nobody anything but the spans.
import type { Log } from './log.ts';
import type { Tracing, TracingOptions } from './tracing-types.ts';

export type { RequestSpan, Tracing } from './tracing-types.ts';

/** Undefined when no collector is configured. Disposing sends what is left, within a bounded time. */
export async function openTracing(
  config: TracingOptions,
  ports: { readonly log: Pick<Log, 'info' | 'warn'>; readonly version: string },
): Promise<Tracing | undefined> {
  if (config.kind === 'off') return undefined;
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing(config, ports);
}
