// Tracing as configured, and traces across boundaries: work from rows, calls to external services, and database
// statements.
import type { LogEvent } from 'kysely';
import type { LogPort } from '../log-port.ts';
import { currentTrace, parseTrace, withTrace } from './trace-context.ts';
import type { Tracing, TracingOptions } from './tracing.ts';

/**
 * Undefined without a collector; no OpenTelemetry code is loaded then. Disposing sends the remaining spans within a
 * bounded time. An outage of the collector loses spans and affects nothing else.
 */
export async function openTracing(
  config: TracingOptions,
  ports: { readonly log: LogPort; readonly version: string },
): Promise<Tracing | undefined> {
  if (config.kind === 'off') return undefined;
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing(config, ports);
}

/**
 * Runs work from rows in the trace of the first sampled one, linked to those of the others. Without any it is a new
 * trace, never that of the request that woke this server.
 */
export function continueTraces<T>(
  tracing: Tracing | undefined,
  name: string,
  kept: readonly (string | null)[],
  run: () => Promise<T>,
): Promise<T> {
  const traces = [...new Set(kept)].flatMap(parent => parseTrace(parent ?? undefined, undefined) ?? []);
  const [first, ...others] = traces;
  return withTrace(first, () => (tracing ? tracing.step(name, 'consumer', run, others) : run()));
}

/** Wraps a part so that each call of these methods is a span. */
export function traced<Part extends object>(
  tracing: Tracing | undefined,
  name: string,
  part: Part,
  methods: readonly (keyof Part & string)[],
): Part {
  if (!tracing) return part;
  const watched = new Set<PropertyKey>(methods);
  return new Proxy(part, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (!watched.has(key)) return value.bind(target);
      return (...args: unknown[]) =>
        tracing.step(`${name} ${String(key)}`, 'client', async () => value.apply(target, args));
    },
  });
}

const tableName = /\b(?:from|into|update)\s+"?(\w+)"?/i;

/** Query observer: a span for each statement, named by operation and table, without values. */
export const traceQueries =
  (tracing: Tracing, system: 'sqlite' | 'postgresql') =>
  (event: LogEvent): void => {
    if (!currentTrace()?.sampled) return;
    const { sql } = event.query;
    const operation = (/^\W*(\w+)/.exec(sql)?.[1] ?? 'sql').toUpperCase();
    const table = tableName.exec(sql)?.[1];
    tracing.ended({
      name: table === undefined ? operation : `${operation} ${table}`,
      kind: 'client',
      milliseconds: event.queryDurationMillis,
      attributes: {
        'db.system.name': system,
        'db.operation.name': operation,
        ...(table !== undefined && { 'db.collection.name': table }),
      },
      ...(event.level === 'error' && { error: event.error }),
    });
  };
