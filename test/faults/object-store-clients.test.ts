// The contract of object-store.ts for third-party clients and for processes that are killed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ObjectStore } from '../../server/src/platform/objects/object-store.ts';
import { toBytes, toList } from '../support/bytes.ts';
import { type Backend, backends, curl } from '../support/object-stores.ts';
import { testWith } from '../support/programs.ts';

const run = promisify(execFile);
const helper = fileURLToPath(new URL('../support/put-and-wait.ts', import.meta.url));
// Real servers are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const mebibyte = 1024 * 1024;
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

  testWith('curl')('curl stores and reads through presigned URLs, and every altered URL is rejected', async () => {
    const key = 'signed/direct part #1';
    const put = await store.presignPut(key, { size: 5, expiresInSeconds: 60 });
    const send = (url: string, body: string, ...more: string[]) =>
      curl('-X', 'PUT', '--data-binary', body, '-H', 'content-type:', ...more, url);
    const altered = (change: (url: URL) => void) => {
      const url = new URL(put.url);
      change(url);
      return url.href;
    };
    expect(put.headers).toEqual({ 'content-length': '5' });
    expect(await send(put.url, 'four')).toBe(403);
    expect(await send(put.url, 'sixsix')).toBe(403);
    expect(await curl(put.url)).toBe(403);
    expect(await curl('-X', 'DELETE', put.url)).toBe(403);
    for (const [name] of new URL(put.url).searchParams) {
      const flip = (value: string) => value.slice(0, -1) + (value.endsWith('1') ? '2' : '1');
      const status = await send(
        altered(url => url.searchParams.set(name, flip(url.searchParams.get(name) ?? ''))),
        '12345',
      );
      // An additional unsigned parameter that servers ignore would be harmless; the two stores sign every parameter but
      // this one.
      if (name !== 'x-id') expect(status, name).toBeGreaterThanOrEqual(400);
    }
    const otherKey = altered(url => {
      url.pathname = `${url.pathname}x`;
    });
    expect(await send(otherKey, '12345')).toBe(403);
    const early = await backend.open(() => Date.now() - 3_600_000);
    const expired = await early.presignPut(key, { size: 5, expiresInSeconds: 60 });
    expect(await send(expired.url, '12345')).toBe(403);
    expect(await keysOf(store, 'signed/')).toEqual([]);

    expect(await send(put.url, '12345')).toBe(200);
    expect((await readWhole(store, key)).toString()).toBe('12345');
    const get = await store.presignGet(key, { expiresInSeconds: 60 });
    expect(await curl(get.url)).toBe(200);
    expect(await send(get.url, '54321')).toBe(403);
    expect((await readWhole(store, key)).toString()).toBe('12345');
    await early[Symbol.asyncDispose]();
  });

  test('a killed writer leaves no listed object, and the sweep removes its partial files', async () => {
    const child = spawn(
      process.execPath,
      [helper, JSON.stringify(backend.shared), 'half', 'killed/object', String(24 * mebibyte)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await keysOf(store, 'killed/')).toEqual([]);
    expect(await store.findHead('killed/object')).toBeNull();
    expect(await store.sweepLeftovers(-60)).toBeGreaterThan(0);
    expect(await store.sweepLeftovers(-60)).toBe(0);
    await store.put('killed/object', [Buffer.from('again')]);
    expect(await keysOf(store, 'killed/')).toEqual(['killed/object']);
  });

  test('memory use does not grow with the object', async () => {
    const size = 384 * mebibyte;
    const { stdout } = await run(process.execPath, [
      helper,
      JSON.stringify(backend.shared),
      'whole',
      'big/object',
      String(size),
    ]);
    const report = JSON.parse(stdout) as { peakBytes: number; size: number };
    expect(report.size).toBe(size);
    expect(report.peakBytes).toBeLessThan(300 * mebibyte);
    await store.delete('big/object');
  });

  test('a probe returns the number of nodes', async () => {
    expect(await store.probe()).toMatchObject({ healthyNodes: 1, totalNodes: 1, nodes: [{ online: true }] });
  });
});
