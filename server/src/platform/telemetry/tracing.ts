// Tracing of requests and the steps inside them. Without a configured collector no OpenTelemetry code is loaded. An
// outage of the collector loses spans and affects nothing else.
import type { Log } from './log.ts';
import type { Tracing, TracingOptions } from './tracing-types.ts';

export type { RequestSpan, Tracing } from './tracing-types.ts';

/** Undefined without a collector. Disposing sends the remaining spans within a bounded time. */
export async function openTracing(
  config: TracingOptions,
  ports: { readonly log: Pick<Log, 'info' | 'warn'>; readonly version: string },
): Promise<Tracing | undefined> {
  if (config.kind === 'off') return undefined;
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing(config, ports);
}
