// The in-process cluster: bounds of its maps, and eviction of expired and least recently used keys.
import { expect, test } from 'vitest';
import { maxKeyBytes, slotsPerWindow } from './cluster.ts';
import { MemoryCluster } from './memory.ts';

const openMemory = (maxKeys?: number) => {
  let nowMs = 1_700_000_000_000;
  const warnings: string[] = [];
  const cluster = new MemoryCluster({
    clock: { now: () => nowMs },
    log: { info: () => {}, warn: (_, message) => warnings.push(message) },
    ...(maxKeys === undefined ? {} : { maxKeys }),
  });
  const hit = (key: string, limit = 10) => cluster.hit(key, limit, 60_000, nowMs);
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { cluster, hit, advance, warnings };
};

test('many keys do not grow memory beyond the bound', () => {
  const { cluster, hit } = openMemory(1000);
  for (let i = 0; i < 20_000; i++) {
    hit(`attacker-${i}`);
    cluster.putOnce(`token-${i}`, 'x', 60_000);
  }
  expect(cluster.keyCount).toBeLessThanOrEqual(2000);
  expect(cluster.take('token-19999')).toBe('x');
  expect(cluster.take('token-0')).toBeNull();
});

test('many keys do not evict a caller at its limit', () => {
  const { hit } = openMemory(100);
  hit('busy caller', 1);
  for (let i = 0; i < 1000; i++) hit(`attacker-${i}`);
  expect(hit('busy caller', 1).allowed).toBe(false);
});

test('expired keys are evicted first', () => {
  const { cluster, hit, advance } = openMemory(10);
  for (let i = 0; i < 5; i++) hit(`old-${i}`, 1);
  advance(60_000);
  for (let i = 0; i < 6; i++) hit(`new-${i}`, 2);
  expect(cluster.keyCount).toBe(6);
  for (let i = 0; i < 6; i++) expect(hit(`new-${i}`, 2).count).toBe(2);
});

test('the memory of a key does not depend on its limit', () => {
  const { cluster, hit, advance } = openMemory();
  for (let i = 0; i < 6000; i++) {
    expect(hit('chunks', 100_000).count).toBe(i + 1);
    advance(10);
  }
  expect(cluster.keyCount).toBe(1);
  advance(60_000 / slotsPerWindow);
  expect(hit('chunks', 100_000).count).toBeLessThan(6000);
});

test('one-time values expire by the clock', () => {
  const { cluster, advance } = openMemory();
  cluster.putOnce('code', '123456', 1000);
  advance(999);
  expect(cluster.putOnce('code', '654321', 1000)).toBe(false);
  advance(1);
  expect(cluster.take('code')).toBeNull();
});

test('invalid keys and limits are rejected', () => {
  const { cluster, hit } = openMemory();
  expect(() => hit('x'.repeat(maxKeyBytes + 1))).toThrow(RangeError);
  expect(() => hit('x', 0)).toThrow(RangeError);
  expect(() => cluster.hit('x', 1, 0.5, 0)).toThrow(RangeError);
  expect(() => cluster.putOnce('x', 'y', 0)).toThrow(RangeError);
});

test('a failing handler is logged', async () => {
  const { cluster, warnings } = openMemory();
  cluster.subscribe('news', () => {
    throw new Error('broken');
  });
  cluster.publish('news', 'x');
  await Promise.resolve();
  expect(warnings).toEqual(['a subscriber failed to process a message']);
});
