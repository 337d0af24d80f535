// Typed API client: requests, escaping of paths, error envelopes, proxies, redirects, time limits, size limits.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { login, logout, me, refreshToken } from './auth.ts';
import { type Client, type Fetch, openClient, TransportError, toPath } from './client.ts';
import { endpoint } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { downloadImage } from './images.ts';
import { getHealth } from './monitor.ts';

type Sent = { url: string; init: RequestInit & { headers: Record<string, string> } };

/** A client whose network is `answer`; remembers what was sent. */
function clientOver(answer: (sent: Sent) => Response | Promise<Response>, token?: string) {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    const request = { url, init } as Sent;
    sent.push(request);
    return answer(request);
  };
  const client = openClient({ baseUrl: 'http://server.test/', fetch, timeoutMs: 50, token: () => token });
  return { client, sent };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const ok = (data: unknown) => json(200, { code: 200, message: 'ok', data });

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error,
  );
const transportFailure = async (promise: Promise<unknown>) => {
  const error = await failureOf(promise);
  expect(error).toBeInstanceOf(TransportError);
  return (error as TransportError).failure;
};

const credentials = { body: { username: 'alice', password: 'correct horse' } };
const session = { token: 't', expiresIn: 60 };

const readThing = endpoint('readThing', {
  feature: 'things',
  route: 'GET /api/v1/things/{id}',
  summary: 'Read a thing',
  access: 'signed-in',
  rate: 'other',
  params: z.object({ id: z.string() }),
  query: z.object({ size: z.coerce.number().default(10), keyword: z.string().optional() }),
  answer: z.object({ name: z.string() }),
});

test('a call sends JSON to the path under the base address and returns the data of the envelope', async () => {
  const { client, sent } = clientOver(() => ok(session));
  expect(await client.call(login, credentials)).toEqual(session);
  expect(sent[0]?.url).toBe('http://server.test/api/v1/auth/login');
  expect(sent[0]?.init).toMatchObject({ method: 'POST', body: JSON.stringify(credentials.body), redirect: 'manual' });
  expect(sent[0]?.init.headers['content-type']).toBe('application/json');
});

test('the token is sent to endpoints that need one and to no other', async () => {
  const { client, sent } = clientOver(() => ok(session), 'secret');
  await client.call(login, credentials);
  await client.call(refreshToken);
  expect(sent[0]?.init.headers.authorization).toBeUndefined();
  expect(sent[1]?.init.headers.authorization).toBe('Bearer secret');
});

test('an optional body can be omitted', async () => {
  const { client, sent } = clientOver(() => ok(null));
  await client.call(logout);
  await client.call(logout, { body: { everywhere: true } });
  expect(sent.map(request => request.init.body)).toEqual([undefined, '{"everywhere":true}']);
});

test('required inputs of the contract are required by the compiler', () => {
  const refuse = (client: Client) => {
    // @ts-expect-error the body of a login must be given
    void client.call(login);
    // @ts-expect-error a path parameter must be given
    void client.call(readThing, {});
    // @ts-expect-error me takes no body
    void client.call(me, { body: {} });
  };
  expect(refuse).toBeTypeOf('function');
});

test('parameters are escaped into the path, and absent query values are omitted', () => {
  const input = { params: { id: 'a/b?c' }, query: { size: 5, keyword: undefined } };
  expect(toPath(readThing, input)).toBe('/api/v1/things/a%2Fb%3Fc?size=5');
});

test('a path of several segments is kept, and unsafe segments are rejected', () => {
  expect(toPath(downloadImage, { params: { path: 'a b/c.png' } })).toBe('/api/v1/images/download/a%20b/c.png');
  for (const path of ['', '../me', 'a//b'])
    expect(() => toPath(downloadImage, { params: { path } })).toThrow(TypeError);
});

test.each(['', '.', '..'])('an unsafe path parameter "%s" is rejected before anything is sent', id => {
  expect(() => toPath(readThing, { params: { id } })).toThrow(TypeError);
});

test('an error envelope becomes its ApiError, with its hints', async () => {
  const headers = { 'retry-after': '30', 'x-trace-id': 'a'.repeat(32) };
  const body = { code: 40004, message: 'slow down', data: { detail: { class: 'auth' } } };
  const { client } = clientOver(() => json(429, body, headers));
  const error = await failureOf(client.call(login, credentials));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    kind: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    message: 'slow down',
    retryAfterSeconds: 30,
    traceId: 'a'.repeat(32),
    detail: { class: 'auth' },
  });
});

test('an unknown business code falls back to the status, and invalid hints are dropped', async () => {
  const headers = { 'retry-after': 'soon', 'x-trace-id': '<script>' };
  const { client } = clientOver(() => json(404, { code: 99999, message: '', data: { detail: 'text' } }, headers));
  const error = await failureOf(client.call(me));
  expect(error).toMatchObject({ kind: 'NOT_FOUND', message: 'not found' });
  expect(error).toMatchObject({ retryAfterSeconds: undefined, traceId: undefined, detail: undefined });
});

test('a server that is not RecordProof is reported as such', async () => {
  const page = () => new Response('<html>', { status: 500 });
  expect(await transportFailure(clientOver(page).client.call(me))).toBe('not-recordproof');
  expect(await transportFailure(clientOver(() => new Response('hello')).client.call(me))).toBe('not-recordproof');
  expect(await transportFailure(clientOver(() => ok({ name: 1 })).client.call(me))).toBe('not-recordproof');
});

test('a proxy without a server behind it is reported as an unreachable server', async () => {
  for (const status of [502, 503, 504]) {
    const { client } = clientOver(() => new Response('<html>', { status }));
    expect(await transportFailure(client.call(me))).toBe('unreachable');
  }
});

test('a probe that returns 503 with a health document succeeds, and a 503 of a proxy does not', async () => {
  const asJson = { 'content-type': 'application/json' };
  const down = { status: 'DOWN', components: { s3Storage: { status: 'DOWN', details: { nodes: 0 } } } };
  const told = clientOver(() => json(503, down, asJson));
  expect(await told.client.call(getHealth)).toEqual(down);
  const rejected = clientOver(() => json(503, { code: 503, message: 'not now', data: null }, asJson));
  await expect(rejected.client.call(getHealth)).rejects.toThrow(ApiError);
  const between = clientOver(() => new Response('<html>', { status: 503 }));
  expect(await transportFailure(between.client.call(getHealth))).toBe('unreachable');
});

test('a redirect is not followed, so no token or password is sent to another server', async () => {
  const moved = () => new Response(null, { status: 308, headers: { location: 'https://elsewhere.test/' } });
  const { client, sent } = clientOver(moved, 'secret');
  const error = await failureOf(client.call(me));
  expect(error).toMatchObject({ failure: 'redirected', message: expect.stringContaining('https://elsewhere.test/') });
  expect(sent).toHaveLength(1);
});

test('a rejected connection, and one that breaks within the body, are unreachable', async () => {
  const rejected = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }));
  expect(await transportFailure(clientOver(rejected).client.call(me))).toBe('unreachable');
  const broken = () =>
    new Response(new ReadableStream({ start: controller => controller.error(new Error('reset')) }), { status: 200 });
  expect(await transportFailure(clientOver(broken).client.call(me))).toBe('unreachable');
});

/** Never answers; ends as fetch does when its signal fires. */
const silence = ({ init: { signal } }: Sent) =>
  new Promise<Response>((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

test('a server that does not respond causes a timeout', async () => {
  expect(await transportFailure(clientOver(silence).client.call(me))).toBe('timed-out');
});

test('an aborted call rejects with the reason of the caller, not with a network error', async () => {
  const giveUp = new AbortController();
  const call = failureOf(clientOver(silence).client.call(me, { signal: giveUp.signal }));
  giveUp.abort(new Error('enough'));
  expect(await call).toMatchObject({ message: 'enough' });
});

test('an endless response is cut off', async () => {
  const endless = () =>
    new Response(new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(64 * 1024)) }), {
      status: 500,
    });
  expect(await transportFailure(clientOver(endless).client.call(me))).toBe('not-recordproof');
});

test('open returns the body as a stream, and still turns error responses into errors', async () => {
  const { client } = clientOver(() => new Response('bytes'));
  expect(await (await client.open(me)).text()).toBe('bytes');
  const failOnRejection = clientOver(() => json(401, { code: 70004, message: 'expired', data: null })).client;
  expect(await failureOf(failOnRejection.open(me))).toMatchObject({ kind: 'PERMISSION_TOKEN_EXPIRED' });
});
