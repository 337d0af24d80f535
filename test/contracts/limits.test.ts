// Rate limits while the shared counter service dies and comes back: a real server over a real Redis.
import * as authApi from '@recordproof/shared/api/auth.ts';
import { expect } from 'vitest';
import { startApp } from '../support/app.ts';
import { testWith } from '../support/programs.ts';
import { redisProgram, startRedis } from '../support/redis.ts';

const test = testWith(redisProgram);

const managementToken = 'management-token-of-at-least-forty-characters';

test('without Redis requests are served and limited, and health and circuit breakers report the outage', async () => {
  await using redis = await startRedis();
  const env = {
    REDIS_URL: redis.url,
    SMTP_URL: 'smtp://127.0.0.1:1',
    RECORDPROOF_MAIL_FROM: 'no-reply@example.org',
    RECORDPROOF_MANAGEMENT_TOKEN: managementToken,
    RECORDPROOF_RATE_LIMIT_AUTH: '3',
    RECORDPROOF_RATE_LIMIT_PROBE: '6',
  };
  await using app = await startApp({ env });
  const ada = await app.person('ada');
  await redis.crash();

  const operator = { authorization: `Bearer ${managementToken}` };
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await ada.fetch('/api/v1/auth/me')).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect((await app.anonymous.fetch('/nope')).status).toBe(404);
  await app.anonymous.login('ada', 'correct horse battery');

  for (let i = 0; i < 4; i++) {
    const path = i % 2 === 0 ? '/actuator/health/liveness' : '/actuator/health/readiness';
    expect((await app.anonymous.fetch(path)).status, path).toBe(200);
  }
  const breakers = async () => {
    const response = await app.anonymous.fetch('/actuator/circuitbreakers', { headers: operator });
    return ((await response.json()) as { circuitBreakers: object }).circuitBreakers;
  };
  const health = () => app.anonymous.fetch('/actuator/health', { headers: operator });
  const down = await health();
  expect([down.status, await down.json()]).toMatchObject([
    503,
    { status: 'DOWN', components: { redis: { status: 'DOWN' }, db: { status: 'UP' } } },
  ]);

  for (let i = 0; i < 10; i++) await app.anonymous.fetch('/nope');
  expect(await breakers()).toMatchObject({ redis: { state: 'OPEN' }, smtp: { state: 'CLOSED' } });
  expect((await health()).status).toBe(429);

  await redis.restart();
  const later = async () => {
    app.clock.advance(60_000);
    return (await health()).status;
  };
  await expect.poll(later, { timeout: 120_000 }).toBe(200);
  expect((await ada.call(authApi.me)).username).toBe('ada');
});
