// @module-tag long-on-postgres
// Addresses signed for reading one object: access without a session, and expiry.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { signForReading } from '../../../../test/support/signed-addresses.ts';
import { sendDirect } from '../../../../test/support/uploads.ts';

let app: TestApp;
let alice: Person;

beforeAll(async () => {
  app = await startApp();
  alice = await app.person('alice');
});
afterAll(() => app?.[Symbol.asyncDispose]());

const altered = (url: string, name: string, value: string): string => {
  const other = new URL(url);
  other.searchParams.set(name, value);
  return other.href;
};

test('an address signed for reading returns one object, without a session, until it expires', async () => {
  const bytes = await pattern(20_000);
  const { parts } = await sendDirect(alice, bytes, { chunkSize: 10_000 });
  const [first = '', second = ''] = parts.map(part => part.storagePath);
  const url = await signForReading(app, first);
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': 'no-store',
    'content-disposition': 'attachment',
    'content-length': '10000',
    'content-type': 'application/octet-stream',
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(0, 10_000))).toBe(true);
  for (const other of [
    altered(url, 'key', second),
    altered(url, 'method', 'PUT'),
    altered(url, 'size', '10000'),
    altered(url, 'expires', '99999999999'),
    altered(url, 'signature', 'A'.repeat(43)),
  ])
    expect((await fetch(other)).status).toBe(403);
  expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403);
  expect((await fetch(parts[0]?.uploadUrl ?? '')).status).toBe(403);
  expect((await fetch(await signForReading(app, `${first}-nothing`))).status).toBe(404);
  app.clock.advance(61_000);
  expect((await fetch(url)).status).toBe(403);
});
