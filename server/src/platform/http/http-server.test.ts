import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openDoor } from '../../../../test/support/http.ts';
import { openRaw } from '../../../../test/support/raw-http.ts';
import type { HttpConfig } from './http-server.ts';
import type { RateLimiter } from './rate-limit.ts';
import { route } from './route.ts';

const common = { feature: 'test', summary: 'for this test', rate: 'other' } as const;
const greet = endpoint('greet', {
  ...common,
  method: 'POST',
  path: '/greet',
  access: 'anonymous',
  body: z.object({ name: z.string() }),
  answer: z.string(),
});
const look = endpoint('look', { ...common, method: 'GET', path: '/look', access: 'anonymous', answer: z.string() });
const keep = endpoint('keep', { ...common, method: 'POST', path: '/keep', access: 'signed-in', answer: z.string() });

const routes = [route(greet, ({ body }) => `hello ${body.name}`), route(look, () => 'seen'), route(keep, () => 'kept')];
const open = (config: Partial<HttpConfig> = {}) =>
  openDoor(routes, { config: { trustedProxies: [], requestTimeoutSeconds: 10, ...config } });

const withSlowBody = (line: string): string =>
  `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;

test('an unknown address is answered without waiting for the body', async () => {
  await using door = await open();
  using raw = await openRaw(door.url);
  raw.send(withSlowBody('POST /nope'));
  const { status, headers, body } = await raw.answer();
  expect([status, JSON.parse(body)]).toEqual([
    404,
    { code: 404, message: 'there is nothing at this address', data: null },
  ]);
  expect(headers.get('x-ratelimit-limit')).toBe('6000');
});

test.each([
  ['POST /nope', 404],
  ['POST /keep', 401],
  ['GET /look', 200],
  ['POST /greet', 503],
])('a body that never ends is cut off, whatever the answer was: %s %d', async (line, status) => {
  await using door = await open({ requestTimeoutSeconds: 0.05 });
  using raw = await openRaw(door.url);
  raw.send(withSlowBody(line));
  expect((await raw.answer()).status).toBe(status);
  await raw.closed;
});

test('a connection goes on when the rest of a refused body arrives in time', async () => {
  await using door = await open();
  using raw = await openRaw(door.url);
  raw.send(withSlowBody('POST /keep'));
  expect((await raw.answer()).status).toBe(401);
  raw.send(`${'x'.repeat(999)}GET /look HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect((await raw.answer()).status).toBe(200);
});

test('the addresses of one IPv6 network share an allowance', async () => {
  const counted: string[] = [];
  const hit = { count: 1, limit: 10, remaining: 9, resetAtMs: 0, allowed: true };
  const limiter: RateLimiter = {
    count: (_rateClass, who) => {
      counted.push(who);
      return hit;
    },
  };
  const config = { trustedProxies: ['127.0.0.1'], requestTimeoutSeconds: 10 };
  await using door = await openDoor(routes, { config, limiter });
  for (const [path, address] of [
    ['/look', '2001:db8:1:2::1'],
    ['/look', '2001:db8:1:2:ffff::2'],
    ['/nope', '2001:db8:1:2::3'],
  ] as const) {
    await door.get(path, { headers: { 'x-forwarded-for': address } });
  }
  expect(counted).toEqual(Array(3).fill('ip:2001:db8:1:2::/64'));
});
