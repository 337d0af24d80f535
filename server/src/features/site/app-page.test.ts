// @module-tag long-on-postgres
// Delivery of the app page: content security policy, hashed and cached assets, compression, and size limits.
import { getAppFile } from '@recordproof/shared/api/site.ts';
import type { BuiltApp } from '@recordproof/shared/node/build-script.mjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../test/support/app.ts';
import { Secret } from '../../platform/secret.ts';
import { toAppPolicy } from './app-routes.ts';
import { makeApp } from './pages.ts';

const mostBytes = 144 * 1000;
const mostStartBytes = 1000;
const mostFiles = 3;
let app: TestApp;
let built: BuiltApp;

beforeAll(async () => {
  app = await startApp();
  built = await makeApp();
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** What an entry begins with, and itself. */
const filesOf = (entry: string): string[] => {
  const { file, early } = built.entries[entry] ?? { file: '', early: [] };
  return [file, ...early];
};

const load = (name: string, accepted: string): Promise<Response> =>
  app.anonymous.fetch(`/app/assets/${name}`, { headers: { 'accept-encoding': accepted } });

const sizeOf = async (response: Response): Promise<number> => Number(response.headers.get('content-length'));

test('the policy of the page allows only its own scripts, and no frames or forms', async () => {
  const response = await app.anonymous.fetch('/app');
  const text = await response.text();
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'");
  expect(policy, 'of the files of this origin only its own').toContain(
    ', script-src *:*/app/assets/; worker-src *:*/app/assets/; img-src *:*/assets/ blob:; media-src *:*/api/v1/streams/ blob:',
  );
  expect(policy).not.toContain('style-src');
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).toContain("connect-src 'self';");
  expect(policy).not.toMatch(/unsafe|https?:|data:/);
  const scripts = [...text.matchAll(/<script type="module" src="\/app\/assets\/([^"]+)"><\/script>/g)].map(
    one => one[1],
  );
  expect(scripts, 'what sends the first requests comes first').toEqual(filesOf('app').reverse());
  expect(scripts[0]).toMatch(/^start-/);
  const [first = ''] = text.match(/\/app\/assets\/(?:app|start)-[^"]+/) ?? [];
  expect(first, 'the large one gets the connection that is open').toBe(`/app/assets/${built.entries.app?.file}`);
  expect([...text.matchAll(/<script|<style|\son\w+=/g)]).toHaveLength(scripts.length);
});

test('the policy allows connections to the public object store only', () => {
  const key = new Secret('key');
  const store = { kind: 's3', bucket: 'files', region: 'here', accessKeyId: key, secretAccessKey: key } as const;
  const policyOf = (publicEndpoint: string | undefined) =>
    toAppPolicy({ objects: { ...store, endpoints: ['http://inside.example.org:9000/a'], publicEndpoint } });
  expect(policyOf('https://store.example.org/b')).toContain("connect-src 'self' https://store.example.org;");
  expect(policyOf(undefined)).toContain("connect-src 'self' http://inside.example.org:9000;");
});

test('assets have content hashes in their names, are cached, and compressed by Accept-Encoding', async () => {
  const [name = ''] = filesOf('app');
  const sizes = new Map<string, number>();
  for (const accepted of ['br, gzip', 'gzip', 'identity', 'br;q=0, gzip']) {
    const response = await load(name, accepted);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(await response.text()).toBe(built.files[name]);
    sizes.set(accepted, await sizeOf(response));
  }
  expect(sizes.get('br;q=0, gzip')).toBe(sizes.get('gzip'));
  expect(sizes.get('br, gzip')).toBeLessThan(sizes.get('gzip') ?? 0);
  expect(sizes.get('gzip')).toBeLessThan((sizes.get('identity') ?? 0) / 2);
  expect((await app.anonymous.expectError(getAppFile, { params: { name: 'app-00000000.js' } })).status).toBe(404);
});

test('the page with all assets before the first row is at most three scripts and 144 KB', async () => {
  const names = filesOf('app');
  expect(names.length).toBeLessThanOrEqual(mostFiles);
  const measure = async () => {
    const scripts = await Promise.all(names.map(async name => sizeOf(await load(name, 'br'))));
    const page = await app.anonymous.fetch('/app', { headers: { 'accept-encoding': 'gzip' } });
    const sizes = [await sizeOf(page), ...scripts];
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  // The best form follows the quick one.
  await expect.poll(measure).toBeLessThan(mostBytes);
});

test('the start script is small and imports nothing', async () => {
  const [, name = ''] = filesOf('app');
  expect(await sizeOf(await load(name, 'br'))).toBeLessThan(mostStartBytes);
  expect(built.files[name]).not.toMatch(/\bimport\b|\bfrom\b/);
});

test('the scripts contain no texts of the API documentation', () => {
  const texts = Object.entries(built.files).filter(([name]) => /^(app|start|transfer-work)-/.test(name));
  for (const [name, text] of texts) expect(text.match(/\b(?:summary|description):[`'"]\w[^`'"]*/g), name).toBeNull();
});
