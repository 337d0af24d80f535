// Disconnection of stalled and slow transfers, in both directions.
import { EventEmitter, once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { expect, test } from 'vitest';
import { openTestHttp } from '../../../../test/support/http.ts';
import { openRaw } from '../../../../test/support/raw-http.ts';
import { plainRoute, type Route } from './route.ts';
import { disconnectStalled } from './stalled-transfers.ts';

const common = { feature: 'test', summary: 'for this test', rate: 'other', access: 'anonymous' } as const;
const store = endpoint('store', {
  ...common,
  route: 'PUT /store',
  bodyForms: ['bytes'],
  answerForm: 'bytes',
});
const load = endpoint('load', { ...common, route: 'GET /load', answerForm: 'bytes' });

/** The second time is how long the rest of a rejected upload is waited for. */
const open = (route: Route) =>
  openTestHttp([route], { config: { stallTimeoutSeconds: 0.2, requestTimeoutSeconds: 1 } });

test('a stalled upload is disconnected with 408', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const receive = plainRoute(store, async ({ stream }) => {
    let bytes = 0;
    try {
      for await (const block of stream) bytes += block.length;
    } catch {
      resolve(bytes);
    }
    return { body: null };
  });
  await using context = await open(receive);
  using raw = await openRaw(context.url);
  raw.send(
    'PUT /store HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: 100\r\n\r\n12345',
  );
  await raw.closed;
  expect(await promise).toBe(5);
  expect((await raw.answer()).status).toBe(408);
});

test('a stalled download is disconnected', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* endless(signal: AbortSignal) {
    signal.addEventListener('abort', () => resolve(), { once: true });
    while (!signal.aborted) yield Buffer.alloc(1024 * 1024);
  }
  await using context = await open(plainRoute(load, ({ signal }) => ({ body: Readable.from(endless(signal)) })));
  const request = get(`${context.url}/load`).on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined).pause();
  await promise;
});

test.each([
  ['was rejected', false],
  ['has gone', true],
])('a body that is opened for a client that %s meanwhile is closed', async (_, goes) => {
  const [begun, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const body = Readable.from(['never sent']);
  const read = plainRoute(store, async () => {
    begun.resolve();
    await isOver.promise;
    return { body };
  });
  await using context = await open(read);
  using raw = await openRaw(context.url);
  raw.send('PUT /store HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n');
  await begun.promise;
  if (goes) raw[Symbol.dispose]();
  await raw.closed;
  isOver.resolve();
  await expect.poll(() => body.destroyed).toBe(true);
});

/** Takes 16 KiB whenever it likes to. */
async function trickle(url: string): Promise<'broken off'> {
  const request = get(`${url}/load`).on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { promise, resolve } = Promise.withResolvers<'broken off'>();
  const timer = setInterval(() => response.read(16 * 1024), 5);
  response.on('error', () => undefined).on('readable', () => undefined);
  response.on('close', () => {
    clearInterval(timer);
    resolve('broken off');
  });
  return promise;
}

async function* endless(signal: AbortSignal) {
  while (!signal.aborted) yield Buffer.alloc(1024 * 1024);
}

test('a download below the minimum rate is disconnected', async () => {
  const config = { stallTimeoutSeconds: 0.2, downloadMinBytesPerSecond: 100 * 1024 * 1024 };
  const send = plainRoute(load, ({ signal }) => ({ body: Readable.from(endless(signal)) }));
  await using context = await openTestHttp([send], { config });
  expect(await trickle(context.url)).toBe('broken off');
});

/** A connection of which nothing moves. */
function openSocketState(state: { readonly complete: boolean; readonly buffered: number; readonly unsent: number }) {
  const { promise: ended, resolve } = Promise.withResolvers<'let go'>();
  const letGo = () => resolve('let go');
  const socket = { bytesRead: 0, _handle: { bytesWritten: 5000, writeQueueSize: 5000 }, destroy: letGo };
  const request = { complete: state.complete, readableLength: state.buffered, socket } as unknown as IncomingMessage;
  const response = Object.assign(new EventEmitter(), { writableLength: state.unsent }) as unknown as ServerResponse;
  return { request, response, letGo, ended };
}

const windows = (count: number) => new Promise<'kept'>(resolve => setTimeout(() => resolve('kept'), count * stallMs));
const stallMs = 40;

test.each([
  ['waits for bytes that do not come', { complete: false, buffered: 0, unsent: 0 }, 'let go'],
  ['holds bytes that it has not read yet', { complete: false, buffered: 1, unsent: 0 }, 'kept'],
  ['works on what has come', { complete: true, buffered: 0, unsent: 0 }, 'kept'],
  ['has bytes that are not taken', { complete: true, buffered: 0, unsent: 1 }, 'let go'],
])('when no byte moves while the server %s, with %o, the client is %s', async (_what, state, end) => {
  const { request, response, letGo, ended } = openSocketState(state);
  disconnectStalled(request, response, { stallMs, minBytesPerSecond: 0, reject: letGo });
  expect(await Promise.race([ended, windows(5)])).toBe(end);
  response.emit('close');
});

test('a stalled download is disconnected after one timeout, not two', { tags: 'long' }, async () => {
  const config = { stallTimeoutSeconds: 2 };
  const gone = Promise.withResolvers<number>();
  const send = plainRoute(load, ({ signal }) => {
    signal.addEventListener('abort', () => gone.resolve(performance.now()), { once: true });
    return { body: Readable.from(endless(signal)) };
  });
  await using context = await openTestHttp([send], { config });
  const request = get(`${context.url}/load`).on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const stopped = performance.now();
  response.on('error', () => undefined).pause();
  expect((await gone.promise) - stopped).toBeLessThan(3800);
});
