// The contract of object-store.ts, tested on every implementation.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ObjectStore } from '../../server/src/platform/objects/object-store.ts';
import { pattern, patternStream, sha256Of, toBytes, toList } from '../support/bytes.ts';
import { type Backend, backends } from '../support/object-stores.ts';

// Real servers are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const mebibyte = 1024 * 1024;
const rejected = (kind: string) => expect.objectContaining({ name: 'ObjectStoreError', kind });
const keysOf = async (store: ObjectStore, prefix: string) =>
  (await toList(store.list(prefix))).map(entry => entry.key).sort();
const readWhole = async (store: ObjectStore, key: string) => toBytes((await store.get(key)).body);

describe.each(backends)('$name', ({ start, whyNot }) => {
  if (whyNot !== null) {
    test.skip(`left out: ${whyNot}`, () => undefined);
    return;
  }
  let backend: Backend;
  let store: ObjectStore;
  beforeAll(async () => {
    backend = await start();
    store = backend.store;
  });
  afterAll(() => backend?.[Symbol.asyncDispose]());

  // 5 MiB is the part size of the S3 store under test.
  const sizes = [0, 1, 4095, mebibyte, mebibyte + 1, 5 * mebibyte, 5 * mebibyte + 1];
  const readBack = '%i bytes are read back unchanged, with and without a known length';
  test.each(sizes)(readBack, expectReadBack);
  test.each([16 * mebibyte + 3])(readBack, { tags: 'long' }, expectReadBack);

  async function expectReadBack(size: number): Promise<void> {
    const bytes = await pattern(size, 2);
    const sha256 = sha256Of(bytes);
    for (const [key, options] of [
      [`sizes/unknown-${size}`, {}],
      [`sizes/known-${size}`, { size, sha256 }],
    ] as const) {
      const stored = await store.put(key, patternStream(size, 2, 70_001), options);
      expect(stored).toMatchObject({ size, sha256 });
      expect(stored.etag).toMatch(/^[0-9a-f]+(-\d+)?$/);
      expect(await store.findHead(key)).toMatchObject({ size, etag: stored.etag });
      expect(sha256Of(await readWhole(store, key))).toBe(sha256);
      expect(await store.digest(key)).toEqual({ size, sha256 });
    }
    expect(await store.findHead(`sizes/known-${size}`)).toMatchObject({ sha256 });
  }

  test('a range returns exactly its bytes, and an end beyond the object is limited to its size', async () => {
    const bytes = await pattern(3 * mebibyte + 17);
    await store.put('ranges/object', [bytes]);
    for (const [from, to] of [
      [0, 1],
      [0, bytes.length],
      [mebibyte - 1, mebibyte + 1],
      [bytes.length - 1, bytes.length + 9],
      [5, 5],
      [bytes.length, bytes.length],
    ] as const) {
      const read = await store.get('ranges/object', { start: from, end: to });
      expect(read).toMatchObject({ size: bytes.length, start: from, end: Math.min(to, bytes.length) });
      expect((await toBytes(read.body)).equals(bytes.subarray(from, to))).toBe(true);
    }
    for (const range of [{ start: bytes.length + 1 }, { start: -1 }, { start: 7, end: 3 }, { start: 0.5 }]) {
      await expect(store.get('ranges/object', range)).rejects.toEqual(rejected('RANGE_INVALID'));
    }
  });

  test('readStart returns the first bytes, or all of a shorter object', async () => {
    const bytes = await pattern(100);
    await store.put('start/object', [bytes]);
    await store.put('start/empty', []);
    for (const [asked, answered] of [
      [0, 0],
      [48, 48],
      [100, 100],
      [101, 100],
    ] as const) {
      const start = await store.readStart('start/object', asked);
      expect(Buffer.from(start).equals(bytes.subarray(0, answered))).toBe(true);
    }
    expect((await store.readStart('start/empty', 48)).length).toBe(0);
    await expect(store.readStart('start/none', 48)).rejects.toEqual(rejected('NOT_FOUND'));
  });

  test('a stream with another length or digest than announced leaves the object unchanged', async () => {
    await store.put('checked/object', [Buffer.from('before')]);
    for (const size of [100, 6 * mebibyte, 12 * mebibyte]) {
      const sha256 = sha256Of(await pattern(size, 3));
      const attempts = [
        [{ size: size - 1 }, 'LENGTH_MISMATCH'],
        [{ size: size + 1 }, 'LENGTH_MISMATCH'],
        [{ size, sha256: sha256Of(Buffer.from('other')) }, 'HASH_MISMATCH'],
        [{ size, sha256: sha256.toUpperCase() }, 'HASH_MISMATCH'],
      ] as const;
      for (const [options, kind] of attempts) {
        await expect(store.put('checked/object', patternStream(size, 3), options)).rejects.toEqual(rejected(kind));
        await expect(store.create(`checked/new-${size}`, patternStream(size, 3), options)).rejects.toEqual(
          rejected(kind),
        );
      }
    }
    expect(await keysOf(store, 'checked/')).toEqual(['checked/object']);
    expect((await readWhole(store, 'checked/object')).toString()).toBe('before');
  });

  test('a failed source and an aborted caller leave no object', async () => {
    async function* breaking() {
      yield* patternStream(7 * mebibyte);
      throw new Error('the client went away');
    }
    await expect(store.put('broken/a', breaking())).rejects.toEqual(rejected('SOURCE_FAILED'));
    await expect(store.create('broken/b', breaking(), { size: 8 * mebibyte })).rejects.toEqual(
      rejected('SOURCE_FAILED'),
    );
    const giveUp = new AbortController();
    async function* stalling() {
      yield* patternStream(7 * mebibyte);
      giveUp.abort();
      await new Promise(() => undefined);
    }
    await expect(store.put('broken/c', stalling(), { signal: giveUp.signal })).rejects.toEqual(rejected('ABORTED'));
    await expect(store.get('broken/c', { signal: giveUp.signal })).rejects.toEqual(rejected('ABORTED'));
    expect(await keysOf(store, 'broken/')).toEqual([]);
  });

  test.each([1000, 6 * mebibyte])(
    'of 16 concurrent creates of %i bytes exactly one succeeds, and its bytes remain',
    async size => {
      const key = `race/${size}`;
      const race = Array.from({ length: 16 }, (_, seed) => store.create(key, patternStream(size, seed), { size }));
      const outcomes = await Promise.allSettled(race);
      const winners = outcomes.filter(outcome => outcome.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toEqual(rejected('EXISTS'));
      expect((await store.digest(key)).sha256).toBe(winners[0]?.value.sha256);
      await expect(store.create(key, patternStream(size, 99), { size })).rejects.toEqual(rejected('EXISTS'));
    },
  );

  test('unusual keys are stored separately and listed unchanged', async () => {
    const keys = [
      'odd/a',
      'odd/A',
      'odd/a/b',
      'odd/a b',
      'odd/ ',
      'odd/x ',
      'odd/x+y',
      'odd/x%20y',
      'odd/100%',
      'odd/a,b',
      'odd/a=',
      'odd/a+',
      'odd/é',
      'odd/e\u0301',
      'odd/名前',
      'odd/😀',
      `odd/"quoted' & <tagged>`,
      'odd/?query#fragment',
      'odd/a:b;c*|',
      'odd/~',
      'odd/.hidden',
      'odd/...',
      `odd/${'k'.repeat(508)}`,
      `odd/${'é'.repeat(254)}`,
      'odd/con',
      'odd-sibling/a',
      'odd',
    ];
    for (const key of keys) await store.put(key, [Buffer.from(key)]);
    expect(await keysOf(store, 'odd')).toEqual([...keys].sort());
    expect(await keysOf(store, 'odd/a')).toEqual(keys.filter(key => key.startsWith('odd/a')).sort());
    for (const key of keys) {
      expect((await readWhole(store, key)).toString()).toBe(key);
      await store.copy(key, `copies/${sha256Of(Buffer.from(key))}`);
      await store.delete(key);
    }
    expect(await keysOf(store, 'odd')).toEqual([]);
  });

  test('unsafe keys are rejected by every operation', async () => {
    const bad = [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      '../a',
      'a/../b',
      'a/./b',
      'a\\b',
      'a\0b',
      'a\nb',
      '\ud800',
      'k'.repeat(513),
    ];
    for (const key of bad) {
      for (const use of [
        () => store.put(key, []),
        () => store.create(key, [], { size: 0 }),
        () => store.get(key),
        () => store.findHead(key),
        () => store.digest(key),
        () => store.delete(key),
        () => store.copy(key, 'a'),
        () => store.presignPut(key, { size: 1, expiresInSeconds: 60 }),
        () => store.presignGet(key, { expiresInSeconds: 60 }),
      ]) {
        await expect(use()).rejects.toEqual(rejected('INVALID_KEY'));
      }
    }
  });

  test('a copy with an etag is rejected when the source was replaced', async () => {
    const { etag } = await store.put('named/from', [Buffer.from('first')]);
    expect(await store.copy('named/from', 'named/to', { etag })).toMatchObject({ size: 5 });
    await store.put('named/from', [Buffer.from('other')]);
    await expect(store.copy('named/from', 'named/to', { etag })).rejects.toEqual(rejected('REPLACED'));
    expect((await readWhole(store, 'named/to')).toString()).toBe('first');
  });

  test('a missing object returns NOT_FOUND, and deleting it succeeds', async () => {
    expect(await store.findHead('absent/object')).toBeNull();
    await expect(store.get('absent/object')).rejects.toEqual(rejected('NOT_FOUND'));
    await expect(store.digest('absent/object')).rejects.toEqual(rejected('NOT_FOUND'));
    await expect(store.copy('absent/object', 'absent/copy')).rejects.toEqual(rejected('NOT_FOUND'));
    await store.delete('absent/object');
    expect(await keysOf(store, 'absent')).toEqual([]);
  });

  // 10 MiB is the part size of copies.
  const copied = 'a copy of %i bytes is identical, can be repeated, and remains when its source is deleted';
  test.each([0, 1000, 11 * mebibyte])(copied, expectCopied);
  test.each([23 * mebibyte])(copied, { tags: 'long' }, expectCopied);

  async function expectCopied(size: number): Promise<void> {
    const { sha256 } = await store.put(`copy/from-${size}`, patternStream(size, 5), {
      size,
      sha256: sha256Of(await pattern(size, 5)),
    });
    for (let twice = 0; twice < 2; twice += 1)
      expect(await store.copy(`copy/from-${size}`, `copy/to-${size}`)).toMatchObject({ size, sha256 });
    expect(await store.copy(`copy/to-${size}`, `copy/to-${size}`)).toMatchObject({ size });
    await store.delete(`copy/from-${size}`);
    expect(await store.digest(`copy/to-${size}`)).toEqual({ size, sha256 });
  }

  test('a read with a known digest fails when the stored bytes were changed', async () => {
    const bytes = await pattern(2 * mebibyte, 6);
    const changed = Buffer.from(bytes);
    changed[mebibyte + 5] = (changed[mebibyte + 5] ?? 0) ^ 1;
    await store.put('lying/object', [bytes]);
    await backend.replaceBytes('lying/object', changed);
    expect((await store.digest('lying/object')).sha256).not.toBe(sha256Of(bytes));
    for (const [from, to] of [
      [0, bytes.length],
      [mebibyte, mebibyte + 10],
    ] as const) {
      const read = await store.get('lying/object', {
        start: from,
        end: to,
        sha256: sha256Of(bytes.subarray(from, to)),
      });
      let received = 0;
      const reading = (async () => {
        for await (const block of read.body) received += block.length;
      })();
      await expect(reading).rejects.toEqual(rejected('CORRUPT'));
      expect(received).toBeLessThan(to - from);
    }
    const untouched = await store.get('lying/object', { end: 1000, sha256: sha256Of(bytes.subarray(0, 1000)) });
    expect((await toBytes(untouched.body)).length).toBe(1000);
  });

  test('listing continues beyond one page of results', async () => {
    const keys = Array.from({ length: 1100 }, (_, index) => `many/${index}`);
    for (let from = 0; from < keys.length; from += 50)
      await Promise.all(keys.slice(from, from + 50).map(key => store.put(key, [Buffer.from('x')])));
    const listed = await toList(store.list('many/'));
    expect(listed.map(entry => entry.key).sort()).toEqual([...keys].sort());
    const order = listed.map(entry => entry.key);
    expect((await toList(store.list('many/'))).map(entry => entry.key)).toEqual(order);
    for (const at of [0, 549, 1099])
      expect((await toList(store.list('many/', { after: order[at] ?? '' }))).map(entry => entry.key)).toEqual(
        order.slice(at + 1),
      );
    expect(listed.every(entry => entry.size === 1 && Math.abs(entry.modifiedAt.getTime() - Date.now()) < 600_000)).toBe(
      true,
    );
  });
});
