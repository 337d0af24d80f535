// The selftest with every real service: PostgreSQL, S3, Redis, RabbitMQ. It passes, leaves no trace in any of them, removes
// from the bucket what a killed run left, and names the keys of a bucket that do not open it.
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { runSelftest } from '../../server/src/commands/selftest/selftest.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { startApp } from '../support/app.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { stopPostgres } from '../support/postgres.ts';
import { whyNotWith } from '../support/programs.ts';
import { rabbitPrograms, startRabbit } from '../support/rabbitmq.ts';
import { redisProgram, startRedis } from '../support/redis.ts';
import { databaseOf } from '../support/run-server-command.ts';
import { s3Settings, stopS3 } from '../support/s3-settings.ts';
import { listTraces } from '../support/traces.ts';
import { storeProxied } from '../support/uploads.ts';

afterAll(async () => {
  await stopPostgres();
  await stopS3();
});

const missing = whyNoCeph() ?? whyNotWith(redisProgram, ...rabbitPrograms);

const statusesOf = ({ checks }: Awaited<ReturnType<typeof runSelftest>>) =>
  Object.fromEntries(checks.map(({ name, status }) => [name, status]));

test.skipIf(missing !== null)(
  'the selftest passes with all services without leaving data, and reports wrong bucket credentials',
  async () => {
    await using redis = await startRedis();
    await using rabbit = await startRabbit();
    const services = { ...(await s3Settings()), REDIS_URL: redis.url, RABBITMQ_URL: rabbit.url };
    await using app = await startApp({ engine: 'postgres', env: services });
    await storeProxied(await app.person('alice'), randomBytes(3000));
    await app.drain();
    await app.app[Symbol.asyncDispose]();
    const env = { RECORDPROOF_DATA: app.folder, RECORDPROOF_RESERVE_BYTES: '0', ...services, ...databaseOf(app) };
    const config = await readConfig([], env);
    const before = await listTraces(config);
    const client = new Redis(redis.url);
    try {
      const keys = await client.keys('*');
      await using store = await openConfiguredStore(config);
      await store.put('selftest/0000aaaa.1.killed.1/left', [randomBytes(10)]);
      expect((await listTraces(config)).length).toBe(before.length + 1);
      const ahead = { now: () => Date.now() + 3_700_000 };
      const report = await runSelftest(config, { clock: ahead });
      const { clock, mail, ...others } = statusesOf(report);
      expect({ clock, mail }).toEqual({ clock: 'failed', mail: 'skipped' });
      expect(new Set(Object.values(others))).toEqual(new Set(['ok']));
      expect(report).toMatchObject({ database: 'postgres', objects: 's3' });
      expect(await listTraces(config)).toEqual(before);
      expect(await client.keys('*')).toEqual(keys);
    } finally {
      client.disconnect();
    }
    const wrong = await readConfig([], { ...env, RECORDPROOF_S3_SECRET_ACCESS_KEY: 'not-the-secret-of-this-bucket' });
    const report = await runSelftest(wrong);
    expect(statusesOf(report)).toMatchObject({
      database: 'ok',
      'object-store': 'failed',
      store: 'failed',
      prove: 'skipped',
      clock: 'ok',
    });
    expect(JSON.stringify(report)).not.toContain('not-the-secret');
  },
);
