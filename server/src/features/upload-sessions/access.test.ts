// @module-tag long-on-postgres
// Access to uploads: only the owner, with permission to write files and a valid token.
import * as api from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import {
  answerOf,
  completeDirect,
  digestOf,
  postForm,
  putPart,
  sendDirect,
  sendProxied,
  storeProxied,
  toForm,
  toParts,
  toPlan,
} from '../../../../test/support/uploads.ts';

let app: TestApp;
let alice: Person;
const bytes = await pattern(6000);

beforeAll(async () => {
  app = await startApp();
  alice = await app.person('alice');
});
afterAll(() => app?.[Symbol.asyncDispose]());

const postJson = (person: Person, path: string, body: object) =>
  answerOf(
    person.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
const ask = (person: Person, path: string, method = 'GET') => answerOf(person.fetch(path, { method }));

/** Every call that names an upload. */
const calls = (proxied: string, direct: string): ((person: Person) => Promise<{ status: number; code: number }>)[] => [
  person =>
    postForm(
      person,
      '/api/v1/files/upload/chunk',
      toForm('chunk', bytes.subarray(0, 4096), { clientId: proxied, chunkNumber: 0, totalChunks: 2 }),
    ),
  ...['complete', 'pause', 'resume', 'cancel'].map(
    verb => (person: Person) => postJson(person, `/api/v1/files/upload/${verb}`, { clientId: proxied }),
  ),
  person => postJson(person, '/file/upload/complete', { clientId: proxied }),
  person => ask(person, `/api/v1/files/upload/check?clientId=${proxied}`),
  person => ask(person, `/api/v1/files/upload/progress?clientId=${proxied}`),
  person => putPart(person, proxied, 0, bytes.subarray(0, 4096)),
  person => ask(person, `/api/v1/upload-sessions/${proxied}/complete`, 'POST'),
  person => postJson(person, `/api/v1/upload-sessions/${direct}/direct/complete`, { parts: [] }),
  person => ask(person, `/api/v1/upload-sessions/${direct}/direct`, 'DELETE'),
];

/** Every call that makes one. */
const starts: ((person: Person) => Promise<{ status: number; code: number }>)[] = [
  person => postForm(person, '/api/v1/files/upload', toForm('file', bytes, {})),
  person => postJson(person, '/api/v1/files/upload/start', toPlan(bytes)),
  person => postJson(person, '/api/v1/upload-sessions', toPlan(bytes)),
  person => postJson(person, '/api/v1/upload-sessions/direct', { ...toPlan(bytes), parts: toParts(bytes, 4096) }),
  person => ask(person, '/api/v1/upload-sessions'),
];

test('calls without a session or with an invalid token are rejected', async () => {
  const forged = new Person('forged', app.app.url, 'not.a.token');
  for (const call of [...starts, ...calls('some-id', 'other-id')]) {
    expect((await call(app.anonymous)).status).toBe(401);
    expect((await call(forged)).status).toBe(401);
  }
});

test('an account without permission to write files is rejected', async () => {
  const watcher = await app.person('watcher', { role: 'monitor' });
  for (const call of [...starts, ...calls('some-id', 'other-id')]) expect((await call(watcher)).status).toBe(403);
});

test('an upload is not found by other users, administrators and other tenants, and stays unchanged', async () => {
  const proxied = await sendProxied(alice, bytes);
  const { clientId: direct } = await sendDirect(alice, bytes);
  const others = [
    await app.person('mallory'),
    await app.person('root', { role: 'admin' }),
    await app.person('eve', { tenant: 'elsewhere' }),
  ];
  for (const person of others) {
    for (const call of calls(proxied, direct)) expect(await call(person)).toMatchObject({ status: 404, code: 40006 });
    expect(await person.call(api.listUploads)).toEqual([]);
    const byKey = toForm('chunk', bytes.subarray(0, 4096), { fileHash: 'key', chunkNumber: 0, totalChunks: 2 });
    expect((await postForm(person, '/api/v1/files/upload/chunk', byKey)).status).toBe(404);
  }
  const stored = await alice.call(api.completeUploadSession, { params: { clientId: proxied } });
  expect(stored.contentHash).toBe(digestOf(bytes));
  await completeDirect(alice, direct);
});

test('two accounts can use the same clientId independently', async () => {
  const [bob, carol] = [await app.person('bob'), await app.person('carol', { tenant: 'carols' })];
  const contents = [await pattern(5000, 1), await pattern(5000, 2)] as const;
  const results = await Promise.all([
    storeProxied(bob, contents[0], { clientId: 'shared-name' }),
    storeProxied(carol, contents[1], { clientId: 'shared-name' }),
  ]);
  expect(results.map(result => result.contentHash)).toEqual(contents.map(digestOf));
});

test('equal bytes of two tenants are stored separately', async () => {
  const same = await pattern(5000, 3);
  const [dave, erin] = [await app.person('dave', { tenant: 'one' }), await app.person('erin', { tenant: 'two' })];
  for (const person of [dave, erin]) {
    const { clientId } = await sendDirect(person, same);
    await completeDirect(person, clientId);
  }
  await app.drain();
  await checkEverything(app);
});
