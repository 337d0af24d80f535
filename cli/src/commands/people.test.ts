// The commands around people, against a real server.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../test/support/app.ts';
import { sendFile } from '../../../test/support/uploads.ts';
import { type Ended, type Home, openHome } from '../testing.ts';

let app: TestApp;
let home: Home;
let alice: Person;
let bob: Person;

beforeEach(async () => {
  app = await startApp();
  home = await openHome({ url: app.app.url });
  [alice, bob] = [await app.person('alice'), await app.person('bob')];
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const as = (person: Person, args: readonly string[], input?: string): Promise<Ended> =>
  home.run(args, { env: { RECORDPROOF_TOKEN: person.token ?? '' }, ...(input !== undefined && { input }) });

async function befriend(): Promise<void> {
  expect(await as(alice, ['friends', 'add', 'bob'])).toMatchObject({ code: 0 });
  expect(await as(bob, ['friends', 'accept', 'alice'])).toMatchObject({ code: 0 });
}

test('two find each other, ask, accept, and part again', async () => {
  const found = await as(alice, ['friends', 'search', 'BO']);
  expect(found).toMatchObject({ code: 0, stderr: '' });
  expect(found.stdout).toMatch(/^bob +U\w{22}$/m);
  const asked = await as(alice, ['friends', 'add', 'Bob', '--message', 'from the office']);
  expect(asked.stderr).toMatch(/^request 1 is on its way to bob\n$/);
  expect((await as(alice, ['friends', 'search', 'bob'])).stdout).toContain('request open');
  const waiting = await as(bob, ['friends', 'requests']);
  expect(waiting.stdout).toMatch(/^1 +alice +bob +pending +2026-01-31 12:00 +from the office$/m);
  expect(waiting.stderr).toContain('page 1 of 1, 1 request');
  expect((await as(bob, ['friends', 'accept', 'alice'])).stderr).toBe('you and alice are friends\n');
  expect(await as(bob, ['friends', 'accept', '1'])).toMatchObject({ code: 1 });
  expect((await as(alice, ['friends', 'requests', '--sent'])).stderr).toContain('no requests');
  expect((await as(alice, ['friends', 'requests', '--sent', '--state', 'all'])).stdout).toContain('accepted');

  expect((await as(alice, ['friends', 'remark', 'bob', 'Bobby'])).stdout).toMatch(/^bob +Bobby /m);
  expect((await as(alice, ['friends', 'list'])).stdout).toContain('Bobby');
  const refused = await as(alice, ['friends', 'remove', 'bob']);
  expect(refused).toMatchObject({ code: 64 });
  expect(refused.stderr).toContain('--yes');
  const removed = await as(alice, ['friends', 'remove', 'bob', '--yes', '--json']);
  expect(JSON.parse(removed.stdout)).toMatchObject({ username: 'bob', remark: 'Bobby' });
  expect((await as(bob, ['friends', 'list'])).stderr).toContain('no friends');
});

test('a request is taken back, rejected, or answered by asking back', async () => {
  await as(alice, ['friends', 'add', 'bob']);
  expect((await as(alice, ['friends', 'cancel', 'bob'])).stderr).toBe('the request to bob was taken back\n');
  await as(alice, ['friends', 'add', 'bob']);
  expect((await as(bob, ['friends', 'reject', 'alice'])).stderr).toBe('the request of alice was rejected\n');
  const nothing = await as(bob, ['friends', 'reject', 'alice']);
  expect(nothing).toMatchObject({ code: 1 });
  expect(nothing.stderr).toContain('there is no open request from "alice"');
  await as(alice, ['friends', 'add', 'bob']);
  expect((await as(bob, ['friends', 'add', 'alice'])).stderr).toBe('alice had asked already: you are friends\n');
  expect(await as(bob, ['friends', 'add', 'nobody'])).toMatchObject({ code: 1 });
});

test('messages are written from the command line or a pipe, listed, read and deleted', async () => {
  await befriend();
  await as(alice, ['messages', 'send', 'bob', 'hello']);
  const piped = await as(alice, ['messages', 'send', 'BOB', '-'], 'two\nlines');
  expect(piped.stderr).toBe('message 2 was sent, in conversation 1\n');
  const { data: file } = await sendFile(alice, Buffer.from('bytes'), 'plan.pdf');
  expect(await as(alice, ['messages', 'send', 'bob', '--file', file.fileHash])).toMatchObject({ code: 0 });
  expect((await as(bob, ['messages', 'unread'])).stdout).toBe('3\n');
  expect((await as(bob, ['messages', 'list'])).stdout).toMatch(/^1 +alice +3 +2026-01-31 12:00 +\[file\] plan\.pdf$/m);
  const looked = await as(bob, ['messages', 'read', 'alice', '--keep-unread']);
  expect((await as(bob, ['messages', 'unread'])).stdout).toBe('3\n');
  const read = await as(bob, ['messages', 'read', 'alice']);
  expect(read.stdout).toBe(looked.stdout);
  expect(read.stdout.split('\n')).toEqual([
    '2026-01-31 12:00  alice',
    '  hello',
    '2026-01-31 12:00  alice',
    '  two',
    '  lines',
    '2026-01-31 12:00  alice',
    `  [file] plan.pdf ${file.fileHash}`,
    '',
  ]);
  expect((await as(bob, ['messages', 'unread', '--json'])).stdout).toBe('{\n  "count": 0\n}\n');
  expect((await as(bob, ['messages', 'delete', 'alice', '--yes'])).stderr).toContain('was deleted on your side');
  expect((await as(bob, ['messages', 'list'])).stderr).toContain('no conversations');
  expect(await as(bob, ['messages', 'read', 'alice'])).toMatchObject({ code: 1 });
  expect((await as(alice, ['messages', 'read', '1'])).stdout).toContain('hello');
});

test('what is missing or wrong is said with what to do', async () => {
  await befriend();
  const nothing = await as(alice, ['messages', 'send', 'bob']);
  expect(nothing).toMatchObject({ code: 64 });
  expect(nothing.stderr).toContain('say either a text or --file');
  expect(await as(alice, ['messages', 'send', 'bob', 'x', '--file', 'f'.repeat(64)])).toMatchObject({ code: 64 });
  const endless = await as(alice, ['messages', 'send', 'bob', '-'], 'x'.repeat(1_000_000));
  expect(endless).toMatchObject({ code: 64 });
  expect(endless.stderr).toContain('a message may have 4000 letters');
  const stranger = await as(alice, ['messages', 'send', 'carol', 'x']);
  expect(stranger).toMatchObject({ code: 1 });
  expect(stranger.stderr).toContain('recordproof friends list');
  expect(await as(alice, ['friends', 'list', '--page', 'x'])).toMatchObject({ code: 64 });
  expect(await home.run(['friends', 'list'])).toMatchObject({ code: 77 });
});
