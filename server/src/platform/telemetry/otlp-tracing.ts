// Span export to an OpenTelemetry collector, over gRPC or HTTP. No global state, so that several servers can run in one
// process. Queue, batch, time and shutdown are bounded; an outage is logged once at its start and end.
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace as traceApi,
} from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { LogPort } from '../log-port.ts';
import { within } from '../within.ts';
import { currentTrace, type TraceContext, withTrace } from './trace-context.ts';
import type { EndedStep, RequestSpan, StepKind, Tracing, TracingOptions } from './tracing.ts';

type OtlpConfig = Extract<TracingOptions, { kind: 'otlp' }>;
type Tools = { readonly log: LogPort; readonly version: string };

const exportTimeoutMs = 5_000;
const shutdownTimeoutMs = 2_000;

const kinds: Readonly<Record<StepKind, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

export async function openOtlpTracing(config: OtlpConfig, { log, version }: Tools): Promise<Tracing> {
  const exporter = reporting(await openExporter(config), log);
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': 'recordproof-server', 'service.version': version }),
    ),
    sampler: samplers[config.sampler](config.ratio),
    spanLimits: { attributeCountLimit: 32, attributeValueLengthLimit: 256, eventCountLimit: 8 },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: 2_000, exportTimeoutMillis: exportTimeoutMs }),
    ],
  });
  const tracer = provider.getTracer('recordproof', version);
  return {
    startRequest: (method, caller) => startRequest(tracer, method, caller),
    step: (name, kind, run, links) => runStep(tracer, { name, kind, links }, run),
    ended: step => writeEnded(tracer, step),
    [Symbol.asyncDispose]: () => shutDown(provider),
  };
}

const samplers: Readonly<Record<OtlpConfig['sampler'], (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: ratio => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: ratio => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

async function openExporter({ endpoint, protocol }: OtlpConfig): Promise<SpanExporter> {
  const timeoutMillis = exportTimeoutMs;
  if (protocol === 'grpc') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc');
    return new OTLPTraceExporter({ url: endpoint, timeoutMillis });
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url: toTracesUrl(endpoint), timeoutMillis });
}

/** The configured address is the collector's base URL; over HTTP, traces have a path below it. */
export function toTracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '');
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
}

function startRequest(tracer: Tracer, method: string, caller: TraceContext | undefined): RequestSpan {
  const attributes = { 'http.request.method': method };
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, toContext(caller));
  return {
    trace: toTrace(span, caller),
    end: ({ route, status }) => {
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) {
        span.setAttribute('error.type', String(status));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

type Step = { readonly name: string; readonly kind: StepKind; readonly links?: readonly TraceContext[] | undefined };

async function runStep<T>(tracer: Tracer, { name, kind, links = [] }: Step, run: () => Promise<T>): Promise<T> {
  const parent = currentTrace();
  const linked = links.map(trace => ({ context: toSpanContext(trace) }));
  const span = tracer.startSpan(name, { kind: kinds[kind], links: linked }, toContext(parent));
  try {
    return await withTrace(toTrace(span, parent), run);
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function writeEnded(tracer: Tracer, { name, kind, milliseconds, attributes, error }: EndedStep): void {
  const parent = currentTrace();
  if (!parent?.sampled) return;
  const endTime = performance.timeOrigin + performance.now();
  const startTime = endTime - milliseconds;
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime }, toContext(parent));
  if (error !== undefined) markFailed(span, error);
  span.end(endTime);
}

/** By the error's name only, since its message may hold anything. */
function markFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function toContext(parent: TraceContext | undefined): Context {
  return parent ? traceApi.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
}

const toSpanContext = ({ traceId, spanId, sampled, state }: TraceContext): SpanContext => ({
  traceId,
  spanId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
  ...(state !== undefined && { traceState: createTraceState(state) }),
});

function toTrace(span: Span, parent: TraceContext | undefined): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const sampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return parent?.state === undefined ? { traceId, spanId, sampled } : { traceId, spanId, sampled, state: parent.state };
}

/** Wraps the exporter to log an outage of the collector once, and its end. */
function reporting(exporter: SpanExporter, log: LogPort): SpanExporter {
  let failing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        if (result.error && !failing) log.warn({ err: result.error }, 'trace export failed; traces are dropped');
        if (!result.error && failing) log.info({}, 'trace export resumed');
        failing = result.error !== undefined;
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Does not wait for a collector that does not answer. */
async function shutDown(provider: TracerProvider): Promise<void> {
  await within(
    shutdownTimeoutMs,
    provider.shutdown().catch(() => undefined),
  );
}
