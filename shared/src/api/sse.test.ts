// Client of the event stream: resumption by event id, pauses between retries, parsing of split and endless input.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransportError } from './client.ts';
import { ApiError } from './errors.ts';
import { type FollowOptions, followEvents, type ServerEvent, StreamEnded } from './sse.ts';

const at = '2026-01-31T12:00:00.000Z';
const say = (id: number | undefined, type: string, payload: object) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify({ type, payload, timestamp: at })}\n\n`;
const connected = (id: number, missed = false) => say(id, 'connected', { connectionId: 'c', missed });
const accepted = (id: number) => say(id, 'friend-accepted', { friendId: `f${id}`, friendName: 'Eve' });

type Turn = Error | string;
const hold = '(hold)';
const cut = '(cut)';

/** A server that answers each connection by what is next in the list, and notes what it was asked. */
function openServer(turns: Turn[]) {
  const asked: (string | undefined)[] = [];
  const open = (async (_endpoint: unknown, input: { query: { lastEventId?: string }; signal: AbortSignal }) => {
    asked.push(input.query.lastEventId);
    const turn = turns.shift() ?? new ApiError('UNAUTHORIZED', 'the list is over');
    if (turn instanceof Error) throw turn;
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        for (const piece of turn.replace(hold, '').split(cut)) controller.enqueue(new TextEncoder().encode(piece));
        if (!turn.endsWith(hold)) controller.close();
        else input.signal.addEventListener('abort', () => controller.error(input.signal.reason));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
  }) as unknown as FollowOptions['client']['open'];
  return { asked, client: { open } };
}

/** What is followed until an error ends it, and that error. */
async function followAll(turns: Turn[], options: Partial<FollowOptions> = {}) {
  const server = openServer(turns);
  const events: ServerEvent[] = [];
  const pauses: number[] = [];
  const onWaiting = (_reason: Error, pauseMs: number) => void pauses.push(pauseMs);
  let error: unknown;
  try {
    for await (const event of followEvents({
      client: server.client,
      onWaiting,
      random: () => 1,
      firstPauseMs: 1,
      ...options,
    }))
      events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  return { events, error, pauses, asked: server.asked };
}

test('events are returned with their ids, heartbeats and unknown events are not', async () => {
  const { events, error } = await followAll([
    connected(4) +
      say(undefined, 'heartbeat', {}) +
      accepted(5) +
      say(6, 'friend-accepted', { friendId: 5 }) +
      say(7, 'from-the-future', {}) +
      'data: not json\n\n' +
      say(undefined, 'disconnected', { reason: 'replaced' }),
  ]);
  expect(events).toEqual([
    { id: '4', type: 'connected', payload: { connectionId: 'c', missed: false }, timestamp: at },
    { id: '5', type: 'friend-accepted', payload: { friendId: 'f5', friendName: 'Eve' }, timestamp: at },
  ]);
  expect(error).toBeInstanceOf(StreamEnded);
});

test('after an outage the stream resumes after the last event, known or not, without repeats', async () => {
  const { events, asked, error } = await followAll([
    connected(4) + accepted(5) + say(6, 'from-the-future', {}),
    connected(6) + accepted(6) + accepted(7),
    new TransportError('unreachable', 'gone'),
    new TransportError('not-recordproof', 'a proxy says something'),
    connected(7) + accepted(8),
  ]);
  expect(asked).toEqual([undefined, '6', '7', '7', '7', '8']);
  expect(events.flatMap(event => (event.type === 'friend-accepted' ? [event.id] : []))).toEqual(['5', '7', '8']);
  expect(error).toMatchObject({ kind: 'UNAUTHORIZED' });
});

test('a reset by the server replaces the last event id', async () => {
  const { events, asked } = await followAll([connected(90), connected(3, true) + accepted(4)], {
    lastEventId: '90',
  });
  expect(asked).toEqual(['90', '90', '4']);
  expect(events.map(event => event.id)).toEqual(['90', '3', '4']);
});

test.each([
  ['a rejection', new ApiError('FORBIDDEN')],
  ['another server', new TransportError('not-recordproof', 'what is this?')],
  ['a bug', new RangeError('oh')],
])('%s ends the stream at once', async (_what, rejection) => {
  const { error, pauses } = await followAll([rejection]);
  expect(error).toBe(rejection);
  expect(pauses).toEqual([]);
});

test('a response that is not an event stream is rejected', async () => {
  const client = { open: (async () => new Response('{}')) as unknown as FollowOptions['client']['open'] };
  await expect(followEvents({ client }).next()).rejects.toThrow('not an event stream');
});

test('the pauses grow, and are never shorter than Retry-After', async () => {
  const outage = () => new TransportError('unreachable', 'gone');
  const turns = [connected(1), outage(), outage(), outage(), outage(), outage()];
  expect((await followAll(turns)).pauses).toEqual([1, 2, 4, 8, 16, 32]);
  const stop = (reason: Error, pauseMs: number) => {
    throw new Error(`${reason.name}: ${pauseMs}`);
  };
  const busy = new ApiError('SYSTEM_BUSY', 'full', { retryAfterSeconds: 10 });
  expect((await followAll([busy], { onWaiting: stop, firstPauseMs: 1000 })).error).toMatchObject({
    message: 'ApiError: 10000',
  });
});

test('the events are the same however the input is split', async () => {
  const text = connected(1) + say(2, 'friend-accepted', { friendId: 'f2', friendName: 'Zoë' }) + accepted(3);
  const bytes = Array.from(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async cuts => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, index) => bytes.slice(at[index], end).join(''));
      const { events } = await followAll([pieces.join(cut)]);
      expect(events.map(event => event.id)).toEqual(['1', '2', '3']);
    }),
    { numRuns: 30 },
  );
});

test('a slow reader gets every message, and a message without id has none', async () => {
  const progress = { clientId: 'c', status: 'UPLOADING', progress: 50, uploadedChunkCount: 1, totalChunks: 2 };
  const many = Array.from({ length: 500 }, (_none, index) => accepted(index + 2));
  const { events } = await followAll([[connected(1), ...many, say(undefined, 'upload-progress', progress)].join(cut)]);
  expect(events.map(event => event.id)).toEqual([
    ...Array.from({ length: 501 }, (_none, index) => `${index + 1}`),
    undefined,
  ]);
});

test('an endless message is not buffered', async () => {
  const { error, pauses } = await followAll([`data: ${'x'.repeat(2 ** 20 + 1)}${hold}`, new ApiError('FORBIDDEN')]);
  expect(error).toMatchObject({ kind: 'FORBIDDEN' });
  expect(pauses).toEqual([1]);
});

test('a connection without data times out', async () => {
  const { asked, events, error } = await followAll([connected(1) + hold], { silenceMs: 20 });
  expect(asked).toEqual([undefined, '1']);
  expect(events).toHaveLength(1);
  expect(error).toMatchObject({ kind: 'UNAUTHORIZED' });
});

test('a reader can stop at any time without an error', async () => {
  const stopping = new AbortController();
  const { client } = openServer([connected(1) + accepted(2) + hold]);
  const seen: (string | undefined)[] = [];
  for await (const event of followEvents({ client, signal: stopping.signal })) {
    seen.push(event.id);
    if (event.id === '2') stopping.abort();
  }
  expect(seen).toEqual(['1', '2']);
  const waiting = new AbortController();
  const gone = openServer([new TransportError('unreachable', 'gone')]);
  const onWaiting = () => waiting.abort();
  for await (const _event of followEvents({ client: gone.client, signal: waiting.signal, onWaiting }));
  expect(gone.asked).toEqual([undefined]);
});
