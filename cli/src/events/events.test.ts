// Command `events`: output per event, resumption after a restart of the server, and each end of the stream.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { logout } from '@recordproof/shared/api/auth.ts';
import { disconnectEvents } from '@recordproof/shared/api/events.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../test/support/app.ts';
import { findFreePort } from '../../../test/support/child-process.ts';
import { announceTo } from '../../../test/support/events.ts';
import { installed } from '../../../test/support/installed.ts';
import { type Home, openHome } from '../testing.ts';

let app: TestApp;
let ada: Person;
let home: Home;
const children: ChildProcess[] = [];

beforeEach(async () => {
  app = await startApp({ env: { RECORDPROOF_PORT: String(await findFreePort()) } });
  ada = await app.person('ada');
  home = await openHome({ url: app.app.url });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await home[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const environment = () => ({
  PATH: process.env.PATH ?? '',
  HOME: home.path,
  RECORDPROOF_SERVER: app.app.url,
  RECORDPROOF_TOKEN: ada.token ?? '',
});

function tail(...flags: string[]) {
  const { file, args } = installed.cli;
  const child = spawn(file, [...args, 'events', 'tail', ...flags], { env: environment(), cwd: home.path });
  children.push(child);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const until = (name: 'stdout' | 'stderr', words: string) =>
    expect.poll(() => texts[name], { timeout: 120_000 }).toContain(words);
  return { child, texts, ended, until };
}

const linesOf = (text: string): { id?: string; type: string; payload: { title?: string } }[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

test('every event is a line, and Ctrl-C ends the command silently', async () => {
  const following = tail('--since-id', '0');
  await announceTo(app, 'ada', 'Office closed\u001b[31m  priority=2');
  await following.until('stdout', 'Office closed');
  following.child.kill('SIGINT');
  expect(await following.ended).toBe(130);
  expect(following.texts.stdout).toMatch(
    /^\d{4}-\S+Z {2}#1 {2}announcement-published {2}id=1 {2}title=Office closed \[31m priority=2 {2}priority=0 {2}isPinned=false\n$/,
  );
  expect(following.texts.stderr).toBe('');
});

test('with --json each line is one document, from the given event on, across a restart of the server', {
  tags: 'long',
}, async () => {
  await announceTo(app, 'ada', 'first');
  await announceTo(app, 'ada', 'second');
  await app.drain();
  const following = tail('--json', '--since-id', '1');
  await following.until('stdout', 'second');
  const { folder, clock, config } = app;
  await app.app[Symbol.asyncDispose]();
  await following.until('stderr', 'trying again in');
  app = await startApp({ folder, clock, env: { RECORDPROOF_PORT: String(config.http.port) } });
  await announceTo(app, 'ada', 'third');
  await following.until('stdout', 'third');
  following.child.kill('SIGTERM');
  expect(await following.ended).toBe(130);
  const lines = linesOf(following.texts.stdout);
  expect(lines.filter(({ type }) => type !== 'connected').map(({ id, payload }) => [id, payload.title])).toEqual([
    ['2', 'second'],
    ['3', 'third'],
  ]);
  expect(lines.filter(({ type }) => type === 'connected')).toHaveLength(2);
});

test('the command ends when its output is closed', { tags: 'long' }, async () => {
  const following = tail('--json');
  await following.until('stdout', 'connected');
  following.child.stdout.destroy();
  await announceTo(app, 'ada', 'unread');
  await announceTo(app, 'ada', 'unread too');
  expect(await following.ended).toBe(0);
});

test('the command ends with an error when its stream is closed elsewhere', { tags: 'long' }, async () => {
  const following = tail('--json');
  await following.until('stdout', 'connected');
  await ada.call(disconnectEvents);
  expect(await following.ended).toBe(1);
  expect(linesOf(following.texts.stdout).at(-1)).toMatchObject({
    error: { kind: 'FIXABLE', message: expect.stringContaining('on request') },
  });
});

test('the command ends with the session, and reports that a login is required', { tags: 'long' }, async () => {
  const following = tail('--json');
  await following.until('stdout', 'connected');
  await ada.call(logout, { body: {} });
  expect(await following.ended).toBe(77);
  expect(linesOf(following.texts.stdout).at(-1)).toMatchObject({ error: { try: 'recordproof login' } });
});

test('a missing login, an invalid id and an unreachable server end the command at once', async () => {
  const result = await home.runHere(['events', 'tail']);
  expect(result).toMatchObject({ code: 77, stdout: '' });
  expect(result.stderr).toContain('recordproof login');
  const wrong = await home.runHere(['events', 'tail', '--since-id', 'yesterday'], {
    env: { RECORDPROOF_TOKEN: ada.token ?? '' },
  });
  expect(wrong).toMatchObject({ code: 64, stdout: '' });
  const away = await home.runHere(['events', 'tail'], {
    env: {
      RECORDPROOF_TOKEN: ada.token ?? '',
      RECORDPROOF_SERVER: `http://127.0.0.1:${await findFreePort()}`,
    },
  });
  expect(away).toMatchObject({ code: 69, stdout: '' });
});
