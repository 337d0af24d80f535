// W3C trace context: parsing, versions, propagation through asynchronous calls, and new traces.
import { expect, test } from 'vitest';
import { currentTrace, parseTrace, startTrace, traceHeaders, withTrace } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const parent = `00-${traceId}-${spanId}-01`;

test('the trace of the caller is parsed', () => {
  expect(parseTrace(parent, 'vendor=1')).toEqual({ traceId, spanId, sampled: true, state: 'vendor=1' });
  expect(parseTrace(`00-${traceId}-${spanId}-00`, undefined)).toEqual({ traceId, spanId, sampled: false });
});

test('a later version of the header may have more fields', () => {
  expect(parseTrace(`01-${traceId}-${spanId}-01-more`, undefined)?.traceId).toBe(traceId);
});

test.each([
  ['nothing', undefined],
  ['two headers', [parent, parent]],
  ['version ff', `ff-${traceId}-${spanId}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a parent of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['capital letters', parent.toUpperCase()],
  ['more than version 00 has', `${parent}-more`],
  ['something else', 'hello'],
])('no trace is parsed from %s', (_what, header) => {
  expect(parseTrace(header as string | string[] | undefined, undefined)).toBeUndefined();
});

test('an invalid trace state is dropped', () => {
  expect(parseTrace(parent, 'a=1\r\nset-cookie: x')).not.toHaveProperty('state');
  expect(parseTrace(parent, 'x'.repeat(513))).not.toHaveProperty('state');
});

test('the current trace is passed on, also in asynchronous and nested calls', async () => {
  const trace = { traceId, spanId, sampled: true, state: 'vendor=1' };
  const headers = await withTrace(trace, async () => {
    await new Promise(resolve => setImmediate(resolve));
    return withTrace(startTrace(), () => traceHeaders(trace));
  });
  expect(headers).toEqual({ traceparent: parent, tracestate: 'vendor=1' });
  await withTrace(trace, async () => {
    await Promise.resolve();
    expect(traceHeaders()).toEqual(headers);
  });
});

test('without a current trace no headers are passed on', () => {
  expect(currentTrace()).toBeUndefined();
  expect(traceHeaders()).toEqual({});
});

test('a new trace is valid and not sampled', () => {
  const trace = startTrace();
  expect(parseTrace(traceHeaders(trace).traceparent, undefined)).toEqual(trace);
  expect(trace.sampled).toBe(false);
});
