// OTLP tracing: sampling, failed requests, an unavailable collector, and its address.
import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openTestHttp } from '../../../../test/support/http.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startGrpcReceiver,
  startHttpReceiver,
} from '../../../../test/support/otlp-receiver.ts';
import { route } from '../http/route.ts';
import { type Log, silentLog } from './log.ts';
import { toTracesUrl } from './otlp-tracing.ts';
import { traceHeaders } from './trace-context.ts';
import { openTracing } from './traced.ts';
import type { Tracing, TracingOptions } from './tracing.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

const getThing = endpoint('getThing', {
  feature: 'things',
  route: 'GET /things/{id}',
  summary: 'A thing',
  access: 'anonymous',
  rate: 'other',
  params: z.object({ id: z.string() }),
  answer: z.record(z.string(), z.string()),
});

type Collector = Partial<Extract<TracingOptions, { kind: 'otlp' }>> & { endpoint: string };

async function openTraced(config: Collector, log: Log = silentLog): Promise<Tracing> {
  const tracing = await openTracing(
    { kind: 'otlp', protocol: 'http/protobuf', sampler: 'parentbased_traceidratio', ratio: 1, ...config },
    { log, version: '1.2.3' },
  );
  if (!tracing) throw new Error('tracing is off');
  return tracing;
}

/** Answers with the headers that a call to another service would carry, from inside a step. */
const openTracedHttp = (tracing: Tracing | undefined) =>
  openTestHttp(
    [
      route(getThing, async ({ params }) => {
        if (params.id === 'broken') throw new ApiError('INTERNAL');
        return tracing ? tracing.step('ask the chain', 'client', async () => traceHeaders()) : traceHeaders();
      }),
    ],
    { tracing },
  );

const headersOf = async (response: Response): Promise<Record<string, string>> =>
  ((await response.json()) as { data: Record<string, string> }).data;

const spanNamed = (receiver: OtlpReceiver, name: string): ReceivedSpan => {
  const span = receiver.spans.find(each => each.name === name);
  if (!span) throw new Error(`no span ${name} among ${receiver.spans.map(each => each.name)}`);
  return span;
};

test.each([
  ['http/protobuf', startHttpReceiver],
  ['grpc', startGrpcReceiver],
] as const)(
  'over %s the collector gets a span per request, which continues the trace of the caller',
  async (protocol, start) => {
    await using receiver = await start();
    await using tracing = await openTraced({ endpoint: receiver.url, protocol });
    await using http = await openTracedHttp(tracing);
    const caller = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=1' };
    const response = await http.get('/things/42', { headers: caller });
    const outgoing = await headersOf(response);
    await http[Symbol.asyncDispose]();
    await tracing[Symbol.asyncDispose]();

    const request = spanNamed(receiver, 'GET /things/:id');
    expect(request).toMatchObject({ traceId, parentSpanId: spanId, kind: 2, status: 0, traceState: 'vendor=1' });
    expect(request.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/things/:id',
      'http.response.status_code': 200,
    });
    expect(request.resource).toMatchObject({ 'service.name': 'recordproof-server', 'service.version': '1.2.3' });
    const step = spanNamed(receiver, 'ask the chain');
    expect(step).toMatchObject({ traceId, parentSpanId: request.spanId, kind: 3 });
    expect(response.headers.get('x-trace-id')).toBe(traceId);
    expect(outgoing).toEqual({ traceparent: `00-${traceId}-${step.spanId}-01`, tracestate: 'vendor=1' });
  },
);

test('a request that fails on the server is marked as an error', async () => {
  await using receiver = await startHttpReceiver();
  await using tracing = await openTraced({ endpoint: receiver.url });
  await using http = await openTracedHttp(tracing);
  const response = await http.get('/things/broken');
  await http[Symbol.asyncDispose]();
  await tracing[Symbol.asyncDispose]();

  const request = spanNamed(receiver, 'GET /things/:id');
  expect(request).toMatchObject({ status: 2, traceId: response.headers.get('x-trace-id') });
  expect(request.attributes['error.type']).toBe('500');
});

test('the caller decides whether its trace is sampled; the ratio decides for new traces', async () => {
  await using receiver = await startHttpReceiver();
  await using tracing = await openTraced({ endpoint: receiver.url, ratio: 0 });
  await using http = await openTracedHttp(tracing);
  await http.get('/things/1', { headers: { traceparent: `00-${traceId}-${spanId}-01` } });
  await http.get('/things/2', { headers: { traceparent: `00-${'a'.repeat(32)}-${spanId}-00` } });
  const outgoing = await headersOf(await http.get('/things/3'));
  await http[Symbol.asyncDispose]();
  await tracing[Symbol.asyncDispose]();

  expect(new Set(receiver.spans.map(span => span.traceId))).toEqual(new Set([traceId]));
  expect(outgoing.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
});

test.each([
  ['always_on', 0, ['own', 'kept', 'dropped']],
  ['always_off', 1, []],
  ['traceidratio', 1, ['own', 'kept', 'dropped']],
  ['traceidratio', 0, []],
  ['parentbased_always_on', 0, ['own', 'kept']],
  ['parentbased_always_off', 1, ['kept']],
  ['parentbased_traceidratio', 1, ['own', 'kept']],
] as const)('the sampler %s with ratio %d keeps %j', async (sampler, ratio, expected) => {
  await using receiver = await startHttpReceiver();
  await using tracing = await openTraced({ endpoint: receiver.url, sampler, ratio });
  await using http = await openTracedHttp(tracing);
  const dropped = 'a'.repeat(32);
  await http.get('/things/1', { headers: { traceparent: `00-${traceId}-${spanId}-01` } });
  await http.get('/things/2', { headers: { traceparent: `00-${dropped}-${spanId}-00` } });
  await http.get('/things/3');
  await http[Symbol.asyncDispose]();
  await tracing[Symbol.asyncDispose]();
  const names = new Map([
    [traceId, 'kept'],
    [dropped, 'dropped'],
  ]);
  const kept = new Set(receiver.spans.map(span => names.get(span.traceId) ?? 'own'));
  expect([...kept].sort()).toEqual([...expected].sort());
});

test('a collector that is down does not affect requests or shutdown', { tags: 'long' }, async () => {
  const tracing = await openTraced({ endpoint: 'http://127.0.0.1:1' });
  await using http = await openTracedHttp(tracing);
  const answers = await Promise.all([1, 2, 3].map(id => http.get(`/things/${id}`)));
  expect(answers.map(answer => answer.status)).toEqual([200, 200, 200]);
  await http[Symbol.asyncDispose]();
  await tracing[Symbol.asyncDispose]();
});

test('rejected spans are logged once, not with every batch', async () => {
  const warnings: string[] = [];
  await using receiver = await startHttpReceiver();
  const log = pino({ level: 'warn' }, { write: line => void warnings.push(JSON.parse(line).msg) });
  const tracing = await openTraced({ endpoint: `${receiver.url}/wrong` }, log);
  for (let spans = 0; spans < 1100; spans++) await tracing.step('a step', 'internal', async () => {});
  await tracing[Symbol.asyncDispose]();
  expect(receiver.refused).toBeGreaterThan(1);
  expect(warnings).toEqual(['trace export failed; traces are dropped']);
});

test('without a collector there is no tracing, and the trace of the caller is passed on unchanged', async () => {
  const tracing = await openTracing({ kind: 'off' }, { log: silentLog, version: '1' });
  expect(tracing).toBeUndefined();
  await using http = await openTracedHttp(tracing);
  const traceparent = `00-${traceId}-${spanId}-01`;
  const response = await http.get('/things/1', { headers: { traceparent } });
  expect(await headersOf(response)).toEqual({ traceparent });
  expect(response.headers.get('x-trace-id')).toBe(traceId);
  const own = await http.get('/things/1');
  expect((await headersOf(own)).traceparent).toContain(own.headers.get('x-trace-id'));
});

test('the address of a collector is its base or its traces endpoint', () => {
  expect(toTracesUrl('http://collector:4318')).toBe('http://collector:4318/v1/traces');
  expect(toTracesUrl('http://collector/otlp/')).toBe('http://collector/otlp/v1/traces');
  expect(toTracesUrl('http://collector/v1/traces')).toBe('http://collector/v1/traces');
});
