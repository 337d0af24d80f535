// Traces of a whole server at a collector: one trace from the request to the proof, without values and ids.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { eachApp } from '../../../test/support/each-app.ts';
import { type ReceivedSpan, startHttpReceiver } from '../../../test/support/otlp-receiver.ts';
import { toForm } from '../../../test/support/uploads.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const watched = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
const unwatched = { traceparent: `00-${'a'.repeat(32)}-00f067aa0ba902b7-00` };

const sentTo = (endpoint: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  ATTESTATION_PRODUCTION_ENABLED: 'true',
  ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '1',
});

/** The names of the spans above this one, the nearest first. */
function ancestorsOf(span: ReceivedSpan, spans: readonly ReceivedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [parent.name, ...ancestorsOf(parent, spans)] : [];
}

eachApp(start => {
  test('a request, its statements, objects, events and jobs form one trace, without values and ids', async () => {
    await using receiver = await startHttpReceiver();
    const app = await start({ env: sentTo(receiver.url) });
    const ada = await app.person('ada');
    const upload = (headers: Record<string, string>, name: string) =>
      ada.fetch('/api/v1/files/upload', {
        method: 'POST',
        headers,
        body: toForm('file', randomBytes(9000), {}, {}, name),
      });
    expect((await upload(watched, 'seen-by-nobody.pdf')).status).toBe(200);
    expect((await upload(unwatched, 'other.pdf')).status).toBe(200);
    await app.drain();
    await app[Symbol.asyncDispose]();

    const { spans } = receiver;
    expect(new Set(spans.map(span => span.traceId))).toEqual(new Set([traceId]));
    const request = 'POST /api/v1/files/upload';
    const above = (name: string) => spans.filter(span => span.name === name).map(span => ancestorsOf(span, spans));
    expect(above(request)).toEqual([[]]);
    for (const name of ['object store put', 'INSERT file', 'INSERT job'])
      expect(
        above(name).some(names => names.at(-1) === request),
        name,
      ).toBe(true);
    const events = above('jobs event');
    expect(events.length).toBeGreaterThan(0);
    for (const names of events) expect(names.at(-1)).toBe(request);
    expect(spans.some(span => span.name.startsWith('job ') && span.kind === 5)).toBe(true);
    const statement = spans.find(span => span.name === 'INSERT file');
    expect(statement?.attributes).toEqual({
      'db.system.name': app.app.database.kind === 'sqlite' ? 'sqlite' : 'postgresql',
      'db.operation.name': 'INSERT',
      'db.collection.name': 'file',
    });
    expect(JSON.stringify(spans)).not.toContain('seen-by-nobody');
  });
});
