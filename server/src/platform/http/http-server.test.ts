// The HTTP server: routing, bodies, tokens, rate limits, keep-alive, protocol errors and shutdown.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { movableClock } from '../../../../test/support/clock.ts';
import { openTestHttp, tokenFor } from '../../../../test/support/http.ts';
import { openRaw } from '../../../../test/support/raw-http.ts';
import { type Log, silentLog } from '../telemetry/log.ts';
import type { HttpConfig, HttpOptions, Observation } from './http-context.ts';
import { Proxies } from './proxies.ts';
import type { RateLimiter } from './rate-limit.ts';
import { plainRoute, route } from './route.ts';

const common = { feature: 'test', summary: 'for this test', rate: 'other' } as const;
const greet = endpoint('greet', {
  ...common,
  route: 'POST /greet',
  access: 'anonymous',
  body: z.object({ name: z.string() }),
  answer: z.string(),
});
const fill = endpoint('fill', {
  ...common,
  route: 'POST /fill',
  access: 'anonymous',
  body: z.object({ name: z.string() }),
  bodyForms: ['form', 'json'],
  answer: z.string(),
});
const tidy = endpoint('tidy', {
  ...common,
  route: 'POST /tidy',
  access: 'anonymous',
  body: z.object({ room: z.string().default('hall'), note: z.string().optional() }),
  answer: z.string(),
});
const peek = endpoint('look', { ...common, route: 'GET /look', access: 'anonymous', answer: z.string() });
const keep = endpoint('keep', { ...common, route: 'POST /keep', access: 'signed-in', answer: z.string() });

const see = endpoint('see', {
  ...common,
  route: 'GET /see/{thing}',
  access: 'anonymous',
  params: z.object({ thing: z.string() }),
  answer: z.string(),
});
const stream = endpoint('stream', {
  ...common,
  route: 'GET /stream',
  access: 'anonymous',
  answerForm: 'bytes',
});

const follow = endpoint('follow', {
  ...common,
  route: 'GET /follow',
  access: 'signed-in',
  takesStreamToken: true,
  answerForm: 'events',
});

async function* neverEnding(signal: AbortSignal) {
  yield 'first';
  await once(signal, 'abort');
}

const routes = [
  route(greet, ({ body }) => `hello ${body.name}`),
  route(tidy, ({ body }) => `tidied the ${body.room}`),
  route(peek, () => 'seen'),
  route(keep, () => 'kept'),
  route(fill, ({ body }) => `filled in by ${body.name}`),
  route(see, ({ params }) => params.thing),
  plainRoute(follow, r => {
    const socket = r.openStream({ 'content-type': 'text/event-stream' });
    socket.uncork();
    socket.end(`data: hello ${r.actor.username}\n\n`);
    return undefined;
  }),
  plainRoute(stream, ({ signal }) => ({ body: Readable.from(neverEnding(signal)) })),
];
const open = (config: Partial<HttpConfig> = {}, ports: Partial<HttpOptions> = {}) =>
  openTestHttp(routes, { ...ports, config });

/** A log that keeps what is worse than what a server says of itself anyway. */
const noting = (lines: unknown[]): Log =>
  ({
    ...silentLog,
    isLevelEnabled: () => false,
    on: () => silentLog,
    child: () => silentLog,
    error: (...line: unknown[]) => void lines.push(line),
    warn: (...line: unknown[]) => void lines.push(line),
  }) as unknown as Log;

const withSlowBody = (line: string): string =>
  `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;

test('an unknown path gets 404 without waiting for the body', async () => {
  await using context = await open();
  using raw = await openRaw(context.url);
  raw.send(withSlowBody('POST /nope'));
  const { status, headers, body } = await raw.answer();
  expect([status, JSON.parse(body)]).toEqual([
    404,
    { code: 404, message: 'there is nothing at this address', data: null },
  ]);
  expect(headers.get('x-ratelimit-limit')).toBe('6000');
});

const post = (type?: string, body?: () => ReadableStream) => (): RequestInit => ({
  method: 'POST',
  ...(type !== undefined && { headers: { 'content-type': type } }),
  ...(body !== undefined && { body: body(), duplex: 'half' }),
});

const emptyBodies: [string, () => RequestInit][] = [
  ['no body', post()],
  ['no body, announced as JSON', post('application/json')],
  ['no body, announced as a form', post('application/x-www-form-urlencoded')],
  ['an empty body in chunks', post('application/json', () => new Blob([]).stream())],
];

test.each(emptyBodies)('%s is read as {} if every field is optional', async (_what, toInit) => {
  await using context = await open();
  const response = await fetch(`${context.url}/tidy`, toInit());
  expect(await response.json()).toEqual({ code: 200, message: 'success', data: 'tidied the hall' });
});

test.each(emptyBodies)(
  '%s is rejected as missing if a field is required, and ignored if the endpoint has no body',
  async (_what, toInit) => {
    await using context = await open();
    const greeted = await fetch(`${context.url}/greet`, toInit());
    expect([greeted.status, await greeted.json()]).toMatchObject([
      400,
      { code: 10004, message: 'the body is missing' },
    ]);
    const init = toInit();
    const headers = { ...init.headers, authorization: `Bearer ${tokenFor()}` };
    const kept = await fetch(`${context.url}/keep`, { ...init, headers });
    expect([kept.status, await kept.json()]).toMatchObject([200, { data: 'kept' }]);
  },
);

test.each([
  ['POST /nope', 404],
  ['POST /keep', 401],
  ['GET /look', 200],
  ['POST /greet', 408],
])('a body that never ends is aborted, regardless of the response: %s %d', async (line, status) => {
  await using context = await open({ requestTimeoutSeconds: 0.05 });
  using raw = await openRaw(context.url);
  raw.send(withSlowBody(line));
  expect((await raw.answer()).status).toBe(status);
  await raw.closed;
});

test('a connection is kept when the rest of a rejected body arrives in time', async () => {
  await using context = await open();
  using raw = await openRaw(context.url);
  raw.send(withSlowBody('POST /keep'));
  expect((await raw.answer()).status).toBe(401);
  raw.send(`${'x'.repeat(999)}GET /look HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect((await raw.answer()).status).toBe(200);
});

test.each([
  ['/greet', 'application/json', '{"name":"ada"}', 200],
  ['/greet', 'application/x-www-form-urlencoded', 'name=ada', 10000],
  ['/greet', 'application/x-www-form-urlencoded; application/json', 'name=ada', 10000],
  ['/greet', 'text/plain', '{"name":"ada"}', 10000],
  ['/greet', 'text/plain; charset=application/json', '{"name":"ada"}', 10000],
  ['/greet', 'multipart/form-data; boundary=x', '--x--', 10000],
  ['/greet', undefined, '{"name":"ada"}', 10000],
  ['/fill', 'application/x-www-form-urlencoded', 'name=ada', 200],
  ['/fill', 'application/json', '{"name":"ada"}', 200],
  ['/fill', 'text/plain', '{"name":"ada"}', 10000],
  ['/keep', 'application/x-www-form-urlencoded', 'name=ada', 10000],
])('%s given %s %s responds with %d', async (path, type, body, code) => {
  await using context = await open();
  const headers = { authorization: `Bearer ${tokenFor()}`, ...(type !== undefined && { 'content-type': type }) };
  const response = await fetch(context.url + path, { method: 'POST', headers, body: Buffer.from(body) });
  const answer = (await response.json()) as { code: number; message: string };
  expect(answer.code).toBe(code);
  if (code !== 200) expect(answer.message).toBe('the content type is not one that this endpoint reads');
});

test('a token in the address is accepted only by endpoints that allow it, and counted for its account', async () => {
  const counted: string[] = [];
  const hit = { count: 1, limit: 10, remaining: 9, resetAtMs: 0, allowed: true };
  const count: RateLimiter['count'] = (_rateClass, who) => {
    counted.push(who);
    return hit;
  };
  const observed: Observation[] = [];
  await using context = await open({}, { limiter: { count }, observe: seen => void observed.push(seen) });
  const token = encodeURIComponent(tokenFor());
  const stream = await context.get(`/follow?token=${token}`);
  expect([stream.status, await stream.text()]).toEqual([200, 'data: hello alice\n\n']);
  expect(stream.headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
  expect(observed).toMatchObject([{ path: '/follow', status: 200 }]);
  expect((await context.get('/follow?token=nonsense', { token: tokenFor() })).status).toBe(401);
  expect((await context.get('/follow?token=a&token=b')).status).toBe(401);
  expect((await context.get('/follow', { token: tokenFor() })).status).toBe(200);
  const other = await fetch(`${context.url}/keep?token=${token}`, { method: 'POST' });
  expect(other.status).toBe(401);
  expect(counted.map(who => who.replace(/^ip:.*/, 'ip'))).toEqual(['user:1', 'ip', 'ip', 'user:1', 'ip']);
});

test('the addresses of one IPv6 network share a rate limit', async () => {
  const counted: string[] = [];
  const hit = { count: 1, limit: 10, remaining: 9, resetAtMs: 0, allowed: true };
  const limiter: RateLimiter = {
    count: (_rateClass, who) => {
      counted.push(who);
      return hit;
    },
  };
  const proxies = new Proxies(['127.0.0.1'], { clock: movableClock(), log: silentLog });
  await using context = await open({}, { limiter, proxies });
  for (const [path, address] of [
    ['/look', '2001:db8:1:2::1'],
    ['/look', '2001:db8:1:2:ffff::2'],
    ['/nope', '2001:db8:1:2::3'],
  ] as const) {
    await context.get(path, { headers: { 'x-forwarded-for': address } });
  }
  expect(counted).toEqual(Array(3).fill('ip:2001:db8:1:2::/64'));
});

const tooLarge = `GET /look HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`;
const smuggled = 'POST /greet HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

test.each([
  ['an address that cannot be decoded', 'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'the address is not valid'],
  [
    'a parameter that is too long',
    `GET /see/${'x'.repeat(400)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    404,
    'there is nothing at this address',
  ],
  ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'there is nothing at this address'],
  ['a method that no route has', 'PROPFIND /look HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'there is nothing at this address'],
  ['no host', 'GET /look HTTP/1.1\r\n\r\n', 400, 'the Host header is missing'],
  ['headers that are too large', tooLarge, 431, 'the headers of the request are too large; send fewer or shorter ones'],
  ['two lengths', smuggled, 400, 'this is not valid HTTP'],
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'this is not valid HTTP'],
  [
    'a tunnel',
    'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n',
    400,
    'this server does not support CONNECT',
  ],
  ['two hosts', 'GET /look HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n', 400, 'there is more than one Host header'],
  [
    'two tokens',
    'GET /look HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n',
    400,
    'there is more than one Authorization header',
  ],
  ['another HTTP', 'GET /look HTTP/2.0\r\nHost: x\r\n\r\n', 400, 'this server speaks HTTP/1.1'],
  ['an older HTTP', 'GET /look HTTP/0.9\r\nHost: x\r\n\r\n', 400, 'this server speaks HTTP/1.1'],
  ['an unknown method', 'BREW /look HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'this is not valid HTTP'],
])('%s gets the usual error response', async (_what, text, status, message) => {
  const seen: Observation[] = [];
  await using context = await open({}, { observe: observation => seen.push(observation) });
  using raw = await openRaw(context.url);
  raw.send(text);
  const answer = await raw.answer();
  expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { code: status, message, data: null }]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-trace-id': expect.stringMatching(/^[0-9a-f]{32}$/),
    'x-ratelimit-limit': '6000',
    'x-ratelimit-remaining': '5999',
    'x-ratelimit-reset': '0',
  });
  await expect.poll(() => seen.map(one => one.status)).toEqual([status]);
});

test.each([
  ['headers that are too large', 'GET /look HTTP/1.1\r\nHost: x', `Cookie: ${'x'.repeat(20_000)}`, 431],
  ['what is no HTTP', 'GET /look HTTP/1.1\r\nHost: x', 'no header', 400],
])('a browser gets a page for %s, other clients get the envelope', async (_what, begin, end, status) => {
  const showError: HttpOptions['showError'] = (error, { acceptLanguage = 'none' }) => ({
    text: `<p>page of ${error.status} in ${acceptLanguage}</p>`,
    policy: "default-src 'none'",
  });
  await using context = await open({}, { showError });
  const ask = async (accept: string) => {
    using raw = await openRaw(context.url);
    raw.send(`${begin}\r\nACCEPT: ${accept}\r\nAccept-Language: zh-CN\r\n${end}\r\n\r\n`);
    return await raw.answer();
  };
  const page = await ask('text/html,application/xhtml+xml;q=0.9,*/*;q=0.8');
  expect([page.status, page.body]).toEqual([status, `<p>page of ${status} in zh-CN</p>`]);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toBe("default-src 'none'");
  for (const accept of ['application/json', '*/*', 'text/html, application/json']) {
    const rendered = await ask(accept);
    expect([rendered.status, JSON.parse(rendered.body).code]).toEqual([status, status]);
  }
});

test('a request without a host is accepted in HTTP/1.0, and expectations are ignored', async () => {
  await using context = await open();
  for (const text of ['GET /look HTTP/1.0\r\n\r\n', 'GET /look HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n']) {
    using raw = await openRaw(context.url);
    raw.send(text);
    expect((await raw.answer()).status).toBe(200);
  }
});

test('a request that arrives while the server stops is rejected', async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const hold = endpoint('hold', { ...common, route: 'GET /hold', access: 'anonymous', answer: z.string() });
  const holding = route(hold, async () => {
    started.resolve();
    await release.promise;
    return 'held';
  });
  await using context = await openTestHttp([holding, ...routes]);
  using raw = await openRaw(context.url);
  raw.send('GET /hold HTTP/1.1\r\nHost: x\r\n\r\n');
  await started.promise;
  const closed = context[Symbol.asyncDispose]();
  raw.send('GET /look HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise(setImmediate);
  release.resolve();
  expect((await raw.answer()).status).toBe(200);
  const rejection = await raw.answer();
  expect([rejection.status, JSON.parse(rejection.body)]).toEqual([
    503,
    { code: 40005, message: 'this server is shutting down', data: null },
  ]);
  await closed;
});

test('an invalid request is not answered inside a response that has begun', async () => {
  await using context = await open();
  using raw = await openRaw(context.url);
  raw.send('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n');
  await raw.until('first');
  raw.send('rubbish\r\n\r\n');
  await raw.closed;
  expect(raw.text()).not.toContain('not valid HTTP');
});

test('an invalid request is not answered before the previous request', async () => {
  const hit = { count: 1, limit: 10, remaining: 9, resetAtMs: 0, allowed: true };
  const limiter: RateLimiter = { count: async () => hit }; // so that nothing is answered before all has been read
  await using context = await open({}, { limiter });
  using raw = await openRaw(context.url);
  raw.send('GET /look HTTP/1.1\r\nHost: x\r\n\r\nrubbish\r\n\r\n');
  raw.send('more rubbish');
  const { status, headers } = await raw.answer();
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  await raw.closed;
  expect(raw.text()).toBe('');
});

test('each request is logged in one line: caller, route, status, size and duration', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info', base: null }, { write: line => void lines.push(JSON.parse(line)) });
  await using context = await open({}, { log });
  await (await context.get('/look', { headers: { cookie: 'secret=1' } })).text();
  const authorization = `Bearer ${tokenFor()}`;
  await (await fetch(`${context.url}/keep?token=secret`, { method: 'POST', headers: { authorization } })).text();
  await (await context.get('/nope/secret')).text();
  const gone = new AbortController();
  const response = await fetch(`${context.url}/stream`, { signal: gone.signal });
  await response.body?.getReader().read();
  gone.abort();
  while (lines.length < 4) await new Promise(resolve => setImmediate(resolve));
  expect(lines.map(({ ip, user, path, status }) => [ip, user, path, status])).toEqual([
    ['127.0.0.1', 'anonymous', '/look', 200],
    ['127.0.0.1', 'alice', '/keep', 200],
    ['127.0.0.1', 'anonymous', '(none)', 404],
    ['127.0.0.1', 'anonymous', '/stream', 499],
  ]);
  expect(lines[0]?.msg).toMatch(/^127\.0\.0\.1 anonymous GET \/look 200 \d+ B \d+ ms$/);
  expect(Number(lines[0]?.bytes)).toBeGreaterThan(50);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test('a browser gets an HTML page for an error, other clients get the envelope', async () => {
  const asked: unknown[] = [];
  const showError: HttpOptions['showError'] = ({ status }, who) => {
    asked.push(who);
    return { text: `<p>${status}</p>`, policy: "default-src 'none'" };
  };
  await using context = await open({}, { showError });
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': 'zh' };
  const page = await context.get('/nope', { headers: browser });
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    404,
    'text/html; charset=utf-8',
    '<p>404</p>',
  ]);
  expect(page.headers.get('content-security-policy')).toBe("default-src 'none'");
  expect(asked).toEqual([{ acceptLanguage: 'zh', traceId: page.headers.get('x-trace-id') }]);
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5'])
    expect(await (await context.get('/nope', { headers: { accept } })).json()).toMatchObject({ code: 404 });
});

test('an invalid request counts against the rate limit of its address', async () => {
  const counted: string[] = [];
  const count: RateLimiter['count'] = (rateClass, who) => {
    counted.push(`${rateClass} ${who}`);
    return { count: 1, limit: 1, remaining: 0, resetAtMs: movableClock().now() + 7000, allowed: false };
  };
  await using context = await open({}, { limiter: { count } });
  using raw = await openRaw(context.url);
  raw.send('hello\r\n\r\n');
  const { status, headers } = await raw.answer();
  expect([status, headers.get('retry-after'), headers.get('x-ratelimit-remaining')]).toEqual([429, '7', '0']);
  expect(counted).toEqual(['other ip:127.0.0.1']);
});

test.each([
  ['invalid UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xc3, 0x28, ...Buffer.from('"}')])],
  ['half a character', Buffer.from('{"name":"\\ud800"}')],
  ['a name that stands twice', Buffer.from('{"name":"ada","name":"eve"}')],
  ['a name that stands twice, once escaped', Buffer.from('{"name":"ada","n\\u0061me":"eve"}')],
  ['something behind it', Buffer.from('{"name":"ada"}{}')],
  ['no JSON', Buffer.from('{name: 1}')],
  ['a deep pit', Buffer.from('['.repeat(100_000))],
])('a body with %s is rejected', async (_what, body) => {
  await using context = await open();
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${context.url}/greet`, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toMatchObject([400, { code: 10005, data: null }]);
});

test('names of JavaScript object properties are treated like any other', async () => {
  await using context = await open();
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const body = '{"__proto__":{"name":"eve"},"constructor":{"prototype":{}},"name":"ada"}';
  const response = await fetch(`${context.url}/greet`, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({ code: 200, data: 'hello ada' });
});

test('a client that does not send the rest of its body gets 408 at once, without a server error', async () => {
  const lines: unknown[] = [];
  const seen: Observation[] = [];
  const log = noting(lines);
  await using context = await open({ requestTimeoutSeconds: 0.05 }, { log, observe: one => void seen.push(one) });
  using raw = await openRaw(context.url);
  raw.send(withSlowBody('POST /greet'));
  const { status, headers, body } = await raw.answer();
  expect([status, headers.get('connection'), JSON.parse(body).code]).toEqual([408, 'close', 408]);
  await raw.closed;
  expect(seen.map(one => one.status)).toEqual([408]);
  expect(lines).toEqual([]);
});

test('a client that disconnects in its body causes no server error', async () => {
  const lines: unknown[] = [];
  const seen: Observation[] = [];
  const ended = Promise.withResolvers<unknown>();
  const take = endpoint('take', { ...common, route: 'PUT /take', access: 'anonymous', bodyForms: ['bytes'] });
  const taking = route(take, async ({ stream }) => {
    try {
      for await (const _block of stream);
    } catch (error) {
      ended.resolve(error);
      throw error;
    }
    return null;
  });
  await using context = await openTestHttp([taking, ...routes], {
    log: noting(lines),
    observe: one => void seen.push(one),
  });
  for (const line of ['POST /greet', 'PUT /take']) {
    using raw = await openRaw(context.url);
    raw.send(withSlowBody(line));
    await new Promise(setImmediate);
  }
  expect(await ended.promise).toMatchObject({
    kind: 'BAD_REQUEST',
    message: 'the connection was lost before all bytes arrived; send the request again',
  });
  expect((await context.get('/look')).status).toBe(200);
  expect(lines).toEqual([]);
  expect(seen.filter(one => one.status >= 500)).toEqual([]);
});

test('a client that disconnects before the first byte of a streamed response causes no server error', async () => {
  const lines: unknown[] = [];
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const collect = endpoint('collect', {
    ...common,
    route: 'POST /collect',
    access: 'anonymous',
    body: z.object({ name: z.string() }),
    answerForm: 'bytes',
  });
  async function* unread(signal: AbortSignal) {
    begun.resolve();
    await once(signal, 'abort');
    left.resolve();
    yield 'late';
  }
  const collecting = plainRoute(collect, ({ signal }) => ({ body: Readable.from(unread(signal)) }));
  await using context = await openTestHttp([collecting, ...routes], { log: noting(lines) });
  const raw = await openRaw(context.url);
  const body = '{"name":"ada"}';
  const head = [
    'POST /collect HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  raw.send(`${head.join('\r\n')}\r\n\r\n${body}`);
  await begun.promise;
  raw[Symbol.dispose]();
  await left.promise;
  expect((await context.get('/look')).status).toBe(200);
  expect(lines).toEqual([]);
});

test('a response that fails after its first byte is aborted, logged and counted as a failure', async () => {
  const lines: unknown[] = [];
  const seen: Observation[] = [];
  const fail = endpoint('fail', { ...common, route: 'GET /fail', access: 'anonymous', answerForm: 'bytes' });
  async function* failing() {
    yield 'first';
    throw new Error('the disk is gone');
  }
  const failingRoute = plainRoute(fail, () => ({ body: Readable.from(failing()) }));
  const observe = (one: Observation) => void seen.push(one);
  await using context = await openTestHttp([failingRoute, ...routes], { log: noting(lines), observe });
  await expect(fetch(`${context.url}/fail`).then(answer => answer.text())).rejects.toThrow();
  await expect.poll(() => seen).toMatchObject([{ path: '/fail', status: 500 }]);
  expect(lines).toMatchObject([[{ err: { message: 'the disk is gone' } }, expect.stringContaining('/fail')]]);
});

test('the concurrent bodies of an account and of an address are limited', async () => {
  const waiting = endpoint('wait', {
    ...common,
    route: 'PUT /wait',
    access: 'optional',
    bodyForms: ['bytes'],
  });
  let running = 0;
  const wait = route(waiting, async ({ stream }) => {
    running += 1;
    for await (const _block of stream);
    return null;
  });
  const uploads = { minBytesPerSecond: 0, mostPerAccount: 2, mostPerAddress: 3 };
  await using context = await openTestHttp([wait, ...routes], { config: { uploads } });
  const begin = async (more = '', isHeld = true) => {
    const raw = await openRaw(context.url);
    const before = running;
    raw.send(`PUT /wait HTTP/1.1\r\nHost: x\r\n${more}Content-Length: 3\r\n\r\n1`);
    if (isHeld) await expect.poll(() => running).toBe(before + 1);
    return raw;
  };
  const account = `Authorization: Bearer ${tokenFor()}\r\n`;
  const held = [await begin(account), await begin(account)];
  using third = await begin(account, false);
  const rejection = await third.answer();
  expect([rejection.status, rejection.headers.get('retry-after')]).toEqual([429, '1']);
  held.push(await begin());
  using fourth = await begin('', false);
  expect((await fourth.answer()).status).toBe(429);
  for (const raw of held) {
    raw.send('23');
    expect((await raw.answer()).status).toBe(200);
    raw[Symbol.dispose]();
  }
  using again = await begin(account);
  again.send('23');
  expect((await again.answer()).status).toBe(200);
});
