import { EventEmitter, once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { expect, test } from 'vitest';
import { openDoor } from '../../../../test/support/http.ts';
import { openRaw } from '../../../../test/support/raw-http.ts';
import { plainRoute, type Route } from './route.ts';
import { letGoWhenStalled } from './stalled-transfers.ts';

const common = { feature: 'test', summary: 'for this test', rate: 'other', access: 'anonymous' } as const;
const store = endpoint('store', {
  ...common,
  method: 'PUT',
  path: '/store',
  bodyForms: ['bytes'],
  answerForm: 'bytes',
});
const load = endpoint('load', { ...common, method: 'GET', path: '/load', answerForm: 'bytes' });

const open = (route: Route) =>
  openDoor([route], { config: { trustedProxies: [], requestTimeoutSeconds: 10, stallTimeoutSeconds: 0.2 } });

test('who stands still in the middle of a file that is coming in is let go', async () => {
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
  await using door = await open(receive);
  using raw = await openRaw(door.url);
  raw.send(
    'PUT /store HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: 100\r\n\r\n12345',
  );
  await raw.closed;
  expect(await promise).toBe(5);
  expect(raw.text()).toBe('');
});

test('who takes nothing more of a file that is going out is let go', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* endless(signal: AbortSignal) {
    signal.addEventListener('abort', () => resolve(), { once: true });
    while (!signal.aborted) yield Buffer.alloc(1024 * 1024);
  }
  await using door = await open(plainRoute(load, ({ signal }) => ({ body: Readable.from(endless(signal)) })));
  const request = get(`${door.url}/load`).on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined).pause();
  await promise;
});

test.each([
  ['waits for bytes that do not come', { complete: false, buffered: 0, unsent: 0 }, true],
  ['holds bytes that it has not read yet', { complete: false, buffered: 1, unsent: 0 }, false],
  ['works on what has come', { complete: true, buffered: 0, unsent: 0 }, false],
  ['has bytes that are not taken', { complete: true, buffered: 0, unsent: 1 }, true],
])('when nothing moves while the server %s, the client is let go: %o %s', (_what, state, isLetGo) => {
  let destroyed = false;
  const limits: number[] = [];
  const socket = { setTimeout: (limit: number) => limits.push(limit), destroy: () => (destroyed = true) };
  const request = { complete: state.complete, readableLength: state.buffered, socket } as unknown as IncomingMessage;
  const response = Object.assign(new EventEmitter(), { writableLength: state.unsent }) as unknown as ServerResponse;
  letGoWhenStalled(request, response, 50);
  response.emit('timeout');
  expect([destroyed, limits]).toEqual([isLetGo, isLetGo ? [50] : [50, 50]]);
});
