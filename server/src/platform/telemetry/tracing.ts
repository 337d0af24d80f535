// Interface of tracing, free of OpenTelemetry.

import type { TraceContext } from './trace-context.ts';

export type RequestSpan = {
  /** The context for work inside the request. */
  readonly trace: TraceContext;
  end(answer: { readonly route: string; readonly status: number }): void;
};

export type StepKind = 'internal' | 'client' | 'producer' | 'consumer';

/** Values from closed sets, never identifying anyone. */
type SpanAttributes = Readonly<Record<string, string | number>>;

export type EndedStep = {
  readonly name: string;
  readonly kind: StepKind;
  readonly milliseconds: number;
  readonly attributes: SpanAttributes;
  /** Undefined on success. */
  readonly error?: unknown;
};

export type Tracing = AsyncDisposable & {
  /** The span of a request; `caller` is the context it came with. */
  startRequest(method: string, caller: TraceContext | undefined): RequestSpan;
  /**
   * Runs a step as a child of the current trace. Name and attributes describe its kind only: no ids, no addresses of
   * people, no secrets. `links`: other traces that the step works for.
   */
  step<T>(name: string, kind: StepKind, run: () => Promise<T>, links?: readonly TraceContext[]): Promise<T>;
  /** Records a finished step of the current trace; ignored outside a sampled trace. */
  ended(step: EndedStep): void;
};

/** OpenTelemetry's names; samplers with `ratio` keep a fraction of the traces. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
type SamplerName = (typeof samplerNames)[number];

export type TracingOptions =
  | { kind: 'off' }
  | { kind: 'otlp'; endpoint: string; protocol: 'grpc' | 'http/protobuf'; sampler: SamplerName; ratio: number };
