// Commands of friends, shares and messages, against a real server.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../test/support/app.ts';
import { befriend } from '../../../test/support/friends.ts';
import { sendFile } from '../../../test/support/uploads.ts';
import { type Ended, type Home, openHome } from '../testing.ts';

// Each test runs the program more than ten times.
vi.setConfig({ testTimeout: 240_000 });

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
  home.runHere(args, { env: { RECORDPROOF_TOKEN: person.token ?? '' }, ...(input !== undefined && { input }) });

test('two people search, request, accept and end a friendship', async () => {
  const found = await as(alice, ['friends', 'search', 'BO']);
  expect(found).toMatchObject({ code: 0, stderr: '' });
  expect(found.stdout).toMatch(/^bob +U\w{22}$/m);
  const asked = await as(alice, ['friends', 'add', 'Bob', '--message', 'from the office']);
  expect(asked.stderr).toMatch(/^request 1 was sent to bob\n$/);
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
  const rejected = await as(alice, ['friends', 'remove', 'bob']);
  expect(rejected).toMatchObject({ code: 64 });
  expect(rejected.stderr).toContain('--yes');
  const removed = await as(alice, ['friends', 'remove', 'bob', '--yes', '--json']);
  expect(JSON.parse(removed.stdout)).toMatchObject({ username: 'bob', remark: 'Bobby' });
  expect((await as(bob, ['friends', 'list'])).stderr).toContain('no friends');
});

test('a request is cancelled, rejected, or accepted by a request in return', async () => {
  await as(alice, ['friends', 'add', 'bob']);
  expect((await as(alice, ['friends', 'cancel', 'bob'])).stderr).toBe('the request to bob was cancelled\n');
  await as(alice, ['friends', 'add', 'bob']);
  expect((await as(bob, ['friends', 'reject', 'alice'])).stderr).toBe('the request of alice was rejected\n');
  const nothing = await as(bob, ['friends', 'reject', 'alice']);
  expect(nothing).toMatchObject({ code: 1 });
  expect(nothing.stderr).toContain('there is no open request from "alice"');
  await as(alice, ['friends', 'add', 'bob']);
  expect((await as(bob, ['friends', 'add', 'alice'])).stderr).toBe('alice had asked already: you are friends\n');
  expect(await as(bob, ['friends', 'add', 'nobody'])).toMatchObject({ code: 1 });
});

test('messages are sent from the command line or a pipe, listed, read and deleted', async () => {
  await befriend(alice, bob);
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

const bytes = Buffer.from('the plans of Alice');

/** Alice shares two files with Bob. */
async function shareTwo() {
  await befriend(alice, bob);
  const { data: plan } = await sendFile(alice, bytes, 'plan.pdf');
  const { data: more } = await sendFile(alice, Buffer.from('more'), 'more.txt');
  const both = [plan.fileHash, more.fileHash];
  const sent = await as(alice, ['friend-shares', 'send', 'bob', ...both, '-m', 'the plans']);
  expect(sent).toMatchObject({ code: 0, stderr: 'shared with bob\n' });
  expect(sent.stdout).toMatch(/^1 +alice +bob +2 +unread +2026-01-31 12:00 +the plans$/m);
  return { plan, more };
}

test('files are shared with a friend, listed, read and withdrawn', async () => {
  const { plan } = await shareTwo();
  expect((await as(bob, ['friend-shares', 'unread'])).stdout).toBe('1\n');
  expect((await as(bob, ['friend-shares', 'show', '1', '--keep-unread'])).stdout).toContain('unread');
  const shown = await as(bob, ['friend-shares', 'show', '1']);
  expect(shown.stdout).toMatch(new RegExp(`^${plan.fileHash.slice(0, 12)} +18 B +plan.pdf$`, 'm'));
  expect((await as(bob, ['friend-shares', 'unread'])).stdout).toBe('0\n');
  expect((await as(alice, ['friend-shares', 'list', '--sent'])).stdout).toMatch(/ read /);

  expect(await as(bob, ['friend-shares', 'cancel', '1', '--yes'])).toMatchObject({ code: 77 });
  expect((await as(alice, ['friend-shares', 'cancel', '1', '--yes'])).stderr).toBe('share 1 no longer opens for bob\n');
  expect((await as(bob, ['friend-shares', 'list'])).stderr).toContain('no shares');
  expect(await as(bob, ['friend-shares', 'get', '1'])).toMatchObject({ code: 1 });
  expect((await as(alice, ['friend-shares', 'list', '--sent'])).stdout).toContain('cancelled');
});

test('received files are downloaded, verified, into files or a pipe, and saved as own files', async () => {
  const { plan, more } = await shareTwo();
  const got = await as(bob, ['friend-shares', 'get', '1', '--output', 'back/', '--json']);
  expect(JSON.parse(got.stdout)).toMatchObject({ failed: 0, files: [{ contentHash: plan.contentHash }, {}] });
  expect((await readFile(join(home.path, 'back', 'plan.pdf'))).equals(bytes)).toBe(true);
  expect((await as(bob, ['friend-shares', 'get', '1', more.fileHash, '--output', '-'])).stdout).toBe('more');
  expect(await as(bob, ['friend-shares', 'get', '1', '--output', '-'])).toMatchObject({ code: 64 });
  expect(await as(bob, ['friend-shares', 'get', '1', 'f'.repeat(64)])).toMatchObject({ code: 1 });
  const saved = await as(bob, ['friend-shares', 'save', '1', plan.fileHash]);
  expect(saved).toMatchObject({ code: 0, stderr: '1 file saved\n' });
  expect((await as(bob, ['friend-shares', 'save', '1'])).stderr).toBe('2 files saved\n');
  expect((await as(bob, ['files', 'list'])).stdout).toContain('plan.pdf');
});

test('missing and invalid input is reported with the next step', async () => {
  await befriend(alice, bob);
  const nothing = await as(alice, ['messages', 'send', 'bob']);
  expect(nothing).toMatchObject({ code: 64 });
  expect(nothing.stderr).toContain('give it with the text, or - for a pipe');
  const both = await as(alice, ['messages', 'send', 'bob', 'x', '--file', 'f'.repeat(64)]);
  expect(both).toMatchObject({ code: 64 });
  expect(both.stderr).toContain('say either a text or --file');
  const endless = await as(alice, ['messages', 'send', 'bob', '-'], 'x'.repeat(1_000_000));
  expect(endless).toMatchObject({ code: 64 });
  expect(endless.stderr).toContain('more than 4000 characters: shorten it');
  const stranger = await as(alice, ['messages', 'send', 'carol', 'x']);
  expect(stranger).toMatchObject({ code: 1 });
  expect(stranger.stderr).toContain('recordproof friends list');
  for (const flag of ['--page', '--size'])
    for (const value of ['x', '0', '9999999999'])
      expect(await as(alice, ['friends', 'list', flag, value])).toMatchObject({
        code: 64,
        stderr: expect.stringContaining(`${flag} takes a number from 1 to `),
      });
  expect(await home.runHere(['friends', 'list'])).toMatchObject({ code: 77 });
});
