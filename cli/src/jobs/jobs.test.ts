// Dead jobs and events, as administrators handle them from the command line.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../test/support/app.ts';
import { type Ended, type Home, openHome } from '../testing.ts';

// Each test runs the program several times.
vi.setConfig({ testTimeout: 300_000 });

let app: TestApp;
let home: Home;
let root: Person;

beforeEach(async () => {
  app = await startApp();
  home = await openHome({ url: app.app.url });
  root = await app.person('root', { role: 'admin' });
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const admin = (...args: readonly string[]): Promise<Ended> =>
  home.runHere(['admin', ...args], { env: { RECORDPROOF_TOKEN: root.token ?? '' } });

/** No worker knows these kinds, so that a retried one stays pending. */
async function addDead(kind: string, payload: object): Promise<string> {
  const row = {
    kind,
    payload: JSON.stringify(payload),
    state: 'DEAD' as const,
    attempt: 5,
    fence: 5,
    last_error: 'nobody there',
    created_at: app.clock.now(),
  };
  const { db } = app.app.database;
  return String((await db.insertInto('job').values(row).returning('id').executeTakeFirstOrThrow()).id);
}

test('jobs and events are listed separately, shown, revived and dropped', async () => {
  const job = await addDead('test.broken', { uploadId: 7 });
  const event = await addDead('event.test', { type: 'file.stored', payload: { fileId: 9 } });
  expect(await admin('jobs', 'list')).toMatchObject({
    stdout: expect.stringMatching(new RegExp(`^${job} +test\\.broken +5 .*nobody there$`, 'm')),
    stderr: 'page 1 of 1, 1 job\n',
  });
  expect((await admin('outbox', 'list')).stdout).toMatch(new RegExp(`^${event} +file\\.stored `, 'm'));
  expect((await admin('jobs', 'show', job)).stdout).toMatch(/^about +uploadId 7$/m);
  expect(await admin('jobs', 'revive', job)).toMatchObject({ code: 0, stderr: '1 revived\n' });
  const unsaid = await admin('outbox', 'drop', event);
  expect(unsaid).toMatchObject({ code: 64, stderr: expect.stringContaining('file.stored  nobody there') });
  expect(await admin('outbox', 'drop', event, '--yes')).toMatchObject({ code: 0, stderr: '1 dropped\n' });
  expect((await admin('outbox', 'list')).stderr).toBe('no events\n');
});

test('all jobs are revived in one call, and a call without ids is rejected with a hint', async () => {
  for (let n = 0; n < 3; n += 1) await addDead('test.broken', {});
  expect(await admin('jobs', 'revive')).toMatchObject({ code: 64, stderr: expect.stringContaining('--all') });
  expect(await admin('jobs', 'revive', '--all', '--yes')).toMatchObject({ code: 0, stderr: '3 revived\n' });
  expect(await admin('jobs', 'show', '12345')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/there is no dead job 12345\n.*recordproof admin jobs list/),
  });
  const one = await addDead('test.broken', {});
  expect(await admin('jobs', 'drop', one, '12345', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no dead job 12345'),
  });
  expect((await admin('jobs', 'list')).stderr).toBe('page 1 of 1, 1 job\n');
});

test('the id of an event is rejected for jobs, and a repeated id is applied once', async () => {
  const event = await addDead('event.test', { type: 'file.stored', payload: {} });
  const job = await addDead('test.broken', {});
  const [slip, other] = [await admin('jobs', 'drop', event, '--yes'), await admin('outbox', 'show', job)];
  expect(slip).toMatchObject({ code: 1, stderr: expect.stringContaining(`recordproof admin outbox show ${event}`) });
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining(`recordproof admin jobs show ${job}`) });
  expect(await admin('outbox', 'drop', event, event, '--yes')).toMatchObject({ code: 0, stderr: '1 dropped\n' });
});
