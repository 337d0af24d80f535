// Contract of both clusters, and the failures that only the one over Redis must survive.

import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, ClusterUnavailable, maxMessageBytes } from '../../server/src/platform/cluster/cluster.ts';
import { openCluster } from '../../server/src/platform/cluster/open-cluster.ts';
import { Secret } from '../../server/src/platform/secret.ts';
import { spawnTied, stopChild } from '../support/child-process.ts';
import { whyNotWith } from '../support/programs.ts';
import { type RunningRedis, redisProgram, startRedis } from '../support/redis.ts';

const minuteMs = 60_000;
const log = { info: () => {}, warn: () => {} };
const someKey = () => `key-${randomUUID()}`;

/** Collects messages and lets a test wait for the n-th one. */
const collector = () => {
  const messages: string[] = [];
  let waiting: { readonly count: number; readonly resolve: () => void } | undefined;
  return {
    messages,
    handler: (message: string) => {
      messages.push(message);
      if (waiting !== undefined && messages.length >= waiting.count) waiting.resolve();
    },
    until: async (count: number) => {
      if (messages.length >= count) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { count, resolve };
      await promise;
    },
  };
};

const whyNot = whyNotWith(redisProgram);
let redis: RunningRedis;
beforeAll(async () => {
  if (whyNot === null) redis = await startRedis();
});
afterAll(() => redis?.[Symbol.asyncDispose]());

const kinds = ['memory', 'redis'] as const;
const open = (kind: (typeof kinds)[number]) =>
  openCluster(kind === 'memory' ? { kind } : { kind, url: new Secret(redis.url) }, { clock: Date, log });

for (const kind of kinds) {
  describe.skipIf(kind === 'redis' && whyNot !== null)(`the ${kind} cluster`, () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await open(kind);
    });
    afterAll(() => cluster?.[Symbol.asyncDispose]());

    test('a window allows as many calls as its limit and returns when the next call is possible', async () => {
      const key = someKey();
      const start = 1_700_000_000_123;
      for (let i = 1; i <= 10; i++) {
        expect(await cluster.hit(key, 10, minuteMs, start)).toEqual({
          count: i,
          limit: 10,
          remaining: 10 - i,
          resetAtMs: start + minuteMs,
          allowed: true,
        });
      }
      expect(await cluster.hit(key, 10, minuteMs, start + 5000)).toEqual({
        count: 11,
        limit: 10,
        remaining: 0,
        resetAtMs: start + minuteMs,
        allowed: false,
      });
    });

    test('a full window opens when the oldest call leaves it, also after rejected calls', async () => {
      const key = someKey();
      const start = 1_700_000_000_000;
      await cluster.hit(key, 1, minuteMs, start);
      for (const later of [1, 30_000, minuteMs - 1]) {
        expect(await cluster.hit(key, 1, minuteMs, start + later)).toMatchObject({ allowed: false });
      }
      expect(await cluster.hit(key, 1, minuteMs, start + minuteMs)).toMatchObject({ allowed: true, count: 1 });
    });

    test('a window never allows more calls than its limit in any span of its length', async () => {
      const key = someKey();
      const allowedAt: number[] = [];
      for (let nowMs = 1_700_000_000_000; nowMs < 1_700_000_010_000; nowMs += 37) {
        if ((await cluster.hit(key, 7, 1000, nowMs)).allowed) allowedAt.push(nowMs);
      }
      const tooMany = allowedAt.filter((at, i) => (allowedAt[i + 7] ?? Number.POSITIVE_INFINITY) < at + 1000);
      expect(tooMany).toEqual([]);
      expect(allowedAt.length).toBeGreaterThan(60);
    });

    test('parallel calls are counted individually', async () => {
      const key = someKey();
      const now = Date.now();
      const hits = await Promise.all(Array.from({ length: 300 }, () => cluster.hit(key, 100, minuteMs, now)));
      expect(hits.filter(({ allowed }) => allowed)).toHaveLength(100);
    });

    test('a call that is given back is not counted, and other calls still count', async () => {
      const key = someKey();
      const start = 1_700_000_000_000;
      await cluster.uncount(key);
      await cluster.hit(key, 3, minuteMs, start);
      await cluster.hit(key, 3, minuteMs, start + 20_000);
      await cluster.hit(key, 3, minuteMs, start + 20_000);
      expect(await cluster.hit(key, 3, minuteMs, start + 20_000)).toMatchObject({ allowed: false });
      await cluster.uncount(key);
      expect(await cluster.hit(key, 3, minuteMs, start + 20_001)).toMatchObject({ allowed: true, count: 3 });
      for (let i = 0; i < 5; i++) await cluster.uncount(key);
      expect(await cluster.hit(key, 3, minuteMs, start + 20_002)).toEqual({
        count: 1,
        limit: 3,
        remaining: 2,
        resetAtMs: start + 20_002 + minuteMs,
        allowed: true,
      });
    });

    test('of concurrent calls only the limit is allowed, and each call given back allows one more', async () => {
      const key = someKey();
      const now = Date.now();
      const hits = await Promise.all(Array.from({ length: 200 }, () => cluster.hit(key, 20, minuteMs, now)));
      expect(hits.filter(({ allowed }) => allowed)).toHaveLength(20);
      await Promise.all(Array.from({ length: 5 }, () => cluster.uncount(key)));
      const more = await Promise.all(Array.from({ length: 200 }, () => cluster.hit(key, 20, minuteMs, now)));
      expect(more.filter(({ allowed }) => allowed)).toHaveLength(5);
    });

    test('keys have separate windows, and a window opens again after the clock is set back by a day', async () => {
      const now = Date.now();
      const key = someKey();
      await cluster.hit(key, 1, minuteMs, now);
      expect(await cluster.hit(someKey(), 1, minuteMs, now)).toMatchObject({ allowed: true });
      expect(await cluster.hit(key, 1, minuteMs, now - 1000)).toMatchObject({ allowed: false });
      expect(await cluster.hit(key, 1, minuteMs, now - 86_400_000)).toMatchObject({ allowed: true });
    });

    test('a one-time value is returned to exactly one of 1,000 concurrent callers', async () => {
      const key = someKey();
      expect(await cluster.putOnce(key, 'the value', minuteMs)).toBe(true);
      const taken = await Promise.all(Array.from({ length: 1000 }, () => cluster.take(key)));
      expect(taken.filter(value => value !== null)).toEqual(['the value']);
    });

    test('a valid one-time value is not replaced, and an expired one is', async () => {
      const key = someKey();
      expect(await cluster.putOnce(key, 'first', minuteMs)).toBe(true);
      expect(await cluster.putOnce(key, 'second', minuteMs)).toBe(false);
      expect(await cluster.take(key)).toBe('first');
      expect(await cluster.putOnce(key, 'third', 1)).toBe(true);
      while ((await cluster.putOnce(key, 'fourth', minuteMs)) === false);
      expect(await cluster.take(key)).toBe('fourth');
      expect(await cluster.take(someKey())).toBeNull();
    });

    test('messages reach every subscriber of their channel in order, and no other subscriber', async () => {
      const channel = someKey();
      const [first, second, other] = [collector(), collector(), collector()];
      await cluster.subscribe(channel, first.handler);
      await cluster.subscribe(channel, second.handler);
      await cluster.subscribe(someKey(), other.handler);
      const sent = Array.from({ length: 500 }, (_, i) => `message ${i} ✓`);
      await Promise.all(sent.map(message => cluster.publish(channel, message)));
      await Promise.all([first.until(500), second.until(500)]);
      expect(first.messages).toEqual(sent);
      expect(second.messages).toEqual(sent);
      expect(other.messages).toEqual([]);
    });

    test('publish returns the number of processes that received the message', async () => {
      const channel = someKey();
      expect(await cluster.publish(channel, 'unheard')).toBe(0);
      const unsubscribe = await cluster.subscribe(channel, () => {});
      await cluster.subscribe(channel, () => {});
      expect(await cluster.publish(channel, 'heard twice in one process')).toBe(1);
      await unsubscribe();
      expect(await cluster.publish(channel, 'heard once')).toBe(1);
    });

    test('a handler that throws or rejects does not affect the publisher or other handlers', async () => {
      const channel = someKey();
      const healthy = collector();
      await cluster.subscribe(channel, () => {
        throw new Error('broken handler');
      });
      await cluster.subscribe(channel, async () => {
        throw new Error('broken asynchronous handler');
      });
      await cluster.subscribe(channel, healthy.handler);
      await cluster.publish(channel, 'one');
      await cluster.publish(channel, 'two');
      await healthy.until(2);
      expect(healthy.messages).toEqual(['one', 'two']);
    });

    test('a cancelled subscription receives no more messages', async () => {
      const channel = someKey();
      const [ended, staying] = [collector(), collector()];
      const unsubscribe = await cluster.subscribe(channel, ended.handler);
      await cluster.subscribe(channel, staying.handler);
      await cluster.publish(channel, 'before');
      await Promise.all([ended.until(1), staying.until(1)]);
      unsubscribe();
      unsubscribe();
      await cluster.publish(channel, 'after');
      await staying.until(2);
      expect(ended.messages).toEqual(['before']);
    });

    test('messages of up to 64 KiB are delivered, and larger ones are rejected', async () => {
      const channel = someKey();
      const inbox = collector();
      await cluster.subscribe(channel, inbox.handler);
      await cluster.publish(channel, 'é'.repeat(maxMessageBytes / 2));
      await inbox.until(1);
      expect(inbox.messages[0]).toHaveLength(maxMessageBytes / 2);
      await expect(async () => cluster.publish(channel, 'x'.repeat(maxMessageBytes + 1))).rejects.toThrow(RangeError);
      await expect(async () => cluster.putOnce('k'.repeat(600), 'x', 1)).rejects.toThrow(RangeError);
    });

    test('the probe returns the mode and the state of the connection', async () => {
      expect(await cluster.probe()).toMatchObject(
        kind === 'memory' ? { mode: 'embedded' } : { mode: 'redis', connected: true, version: expect.any(String) },
      );
    });

    test('operations on a closed cluster are rejected', async () => {
      const closed = await open(kind);
      await closed[Symbol.asyncDispose]();
      await expect(async () => closed.hit(someKey(), 1, 1, 1)).rejects.toThrow(ClusterUnavailable);
    });
  });
}

describe.skipIf(whyNot !== null)('several processes over one Redis', () => {
  test('processes share rate windows, one-time values and messages', async () => {
    await using one = await open('redis');
    await using other = await open('redis');
    const key = someKey();
    const now = Date.now();
    await one.hit(key, 2, minuteMs, now);
    await other.hit(key, 2, minuteMs, now);
    expect(await one.hit(key, 2, minuteMs, now)).toMatchObject({ allowed: false, count: 3 });
    await one.putOnce(key, 'shared', minuteMs);
    expect(await other.take(key)).toBe('shared');
    expect(await one.take(key)).toBeNull();
  });

  test('a subscriber receives the messages of another process in order', async () => {
    await using cluster = await open('redis');
    const channel = someKey();
    const script = fileURLToPath(new URL('../support/cluster-subscriber.ts', import.meta.url));
    const child = spawnTied(process.execPath, [script, redis.url, channel], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      if (child.stdout === null) throw new Error('the subscriber has no output');
      const lines = createInterface(child.stdout);
      const inbox = collector();
      lines.on('line', inbox.handler);
      await inbox.until(1);
      const sent = Array.from({ length: 100 }, (_, i) => `number ${i}`);
      for (const message of sent) await cluster.publish(channel, message);
      await inbox.until(101);
      expect(inbox.messages).toEqual(['READY', ...sent]);
    } finally {
      await stopChild(child);
    }
  });
});

describe.skipIf(whyNot !== null)('during an outage of Redis', () => {
  const allOperations = (cluster: Cluster) => [
    async () => cluster.hit('k', 1, minuteMs, Date.now()),
    async () => cluster.putOnce('k', 'v', minuteMs),
    async () => cluster.take('k'),
    async () => cluster.publish('c', 'm'),
  ];

  test('operations fail with ClusterUnavailable during an outage, and work again after a restart', async () => {
    await using doomed = await startRedis();
    await using cluster = await openCluster({ kind: 'redis', url: new Secret(doomed.url) }, { clock: Date, log });
    const inbox = collector();
    const gap = Promise.withResolvers<void>();
    await cluster.subscribe('news', inbox.handler, gap.resolve);
    await cluster.hit('k', 1, minuteMs, Date.now());
    await doomed.crash();
    for (const operation of allOperations(cluster)) await expect(operation()).rejects.toThrow(ClusterUnavailable);
    expect(await cluster.probe()).toEqual({ mode: 'redis', connected: false });
    const late = collector();
    await cluster.subscribe('news', late.handler);

    await doomed.restart();
    await gap.promise;
    await expect.poll(async () => cluster.probe(), { timeout: 120_000 }).toMatchObject({ connected: true });
    await cluster.publish('news', 'back again');
    await Promise.all([inbox.until(1), late.until(1)]);
    expect([inbox.messages, late.messages]).toEqual([['back again'], ['back again']]);
    // The restarted Redis has no scripts.
    expect(await cluster.hit('k', 1, minuteMs, Date.now())).toMatchObject({ allowed: true });
  });

  test('commands in flight during a crash of Redis are rejected', async () => {
    await using doomed = await startRedis();
    await using cluster = await openCluster({ kind: 'redis', url: new Secret(doomed.url) }, { clock: Date, log });
    doomed.freeze();
    const inFlight = Promise.allSettled(allOperations(cluster).map(operation => operation()));
    await doomed.crash();
    for (const { status } of await inFlight) expect(status).toBe('rejected');
  });

  test('calls to a frozen Redis fail, and the connection recovers when Redis responds again', async () => {
    await using frozen = await startRedis();
    await using cluster = await openCluster({ kind: 'redis', url: new Secret(frozen.url) }, { clock: Date, log });
    frozen.freeze();
    await expect(async () => cluster.take('k')).rejects.toThrow(ClusterUnavailable);
    expect(await cluster.probe()).toEqual({ mode: 'redis', connected: false });
    frozen.resume();
    await expect.poll(async () => cluster.probe(), { timeout: 120_000 }).toMatchObject({ connected: true });
  });

  test('the cluster opens while Redis is down, and its error and log contain no secret', async () => {
    const doomed = await startRedis();
    await doomed[Symbol.asyncDispose]();
    const url = doomed.url.replace('//', '//default:verysecret@');
    const lines: string[] = [];
    const warn = (fields: object, message: string) => lines.push(JSON.stringify(fields) + message);
    await using cluster = await openCluster(
      { kind: 'redis', url: new Secret(url) },
      { clock: Date, log: { info: () => {}, warn } },
    );
    const failure = await Promise.resolve(cluster.take('one-time-secret')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ClusterUnavailable);
    expect(`${failure}${JSON.stringify(failure)}${lines.join()}`).not.toMatch(/verysecret|one-time-secret/);
    expect(lines).toHaveLength(1);
  });

  test('a wrong password is logged with its reason, and the probe reports the cluster as not connected', async () => {
    const url = redis.url.replace('//', '//nobody:wrong@');
    const reason = Promise.withResolvers<object>();
    const warn = (fields: object) => reason.resolve(fields);
    await using cluster = await openCluster(
      { kind: 'redis', url: new Secret(url) },
      { clock: Date, log: { info: () => {}, warn } },
    );
    expect(await reason.promise).toMatchObject({ reason: expect.stringContaining('WRONGPASS') });
    expect(await cluster.probe()).toEqual({ mode: 'redis', connected: false });
  });
});
