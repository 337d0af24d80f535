import type { TraceContext } from './trace-context.ts';

export type RequestSpan = {
  /** What runs inside the request carries on. */
  readonly trace: TraceContext;
  end(answer: { readonly route: string; readonly status: number }): void;
};

export type StepKind = 'internal' | 'client' | 'producer' | 'consumer';

/** Words from closed sets, never whose. */
type SpanAttributes = Readonly<Record<string, string | number>>;

export type EndedStep = {
  readonly name: string;
  readonly kind: StepKind;
  readonly milliseconds: number;
  readonly attributes: SpanAttributes;
  /** Undefined where nothing went wrong. */
  readonly error?: unknown;
};

export type Tracing = AsyncDisposable & {
  /** The span of one request; `caller` is the context that came with it. */
  startRequest(method: string, caller: TraceContext | undefined): RequestSpan;
  /**
   * Runs a step as a child of the current trace. The name and the attributes say what kind of step it is, never whose:
   * no ids, no addresses of people, no secrets. `links`: other traces that this is done for.
   */
  step<T>(name: string, kind: StepKind, run: () => Promise<T>, links?: readonly TraceContext[]): Promise<T>;
  /** A step of the current trace that has just ended; none outside of a trace that is kept. */
  ended(step: EndedStep): void;
};

/** As OpenTelemetry names them; those with `ratio` keep a share. */
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
