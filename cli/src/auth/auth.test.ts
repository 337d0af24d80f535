// Sign-in, sign-out, registration, set-up and password reset on the command line; storage and priority of tokens.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findDeadAddress, openHome, openTestServer } from '../testing.ts';

const secret = 'correct horse battery';

async function openAlice() {
  const server = await openTestServer();
  server.addAccount('alice', secret);
  const home = await openHome(server);
  const logIn = () => home.runHere(['login', '--username', 'alice', '--password-stdin'], { input: `${secret}\n` });
  return {
    server,
    home,
    logIn,
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('a login with a piped password is stored in a file readable by its owner only, and whoami uses it', async () => {
  await using alice = await openAlice();
  const login = await alice.logIn();
  expect(login).toMatchObject({ code: 0, stdout: '' });
  expect(login.stderr).toContain(`Signed in to ${alice.server.url} as alice`);
  const file = await stat(join(alice.home.configFolder, 'credentials.json'));
  const folder = await stat(alice.home.configFolder);
  expect([file.mode & 0o777, folder.mode & 0o777]).toEqual([0o600, 0o700]);

  const who = await alice.home.runHere(['whoami']);
  expect(who).toMatchObject({ code: 0, stderr: '' });
  expect(who.stdout).toMatch(/^user +alice$/m);
  expect(who.stdout).toMatch(/^e-mail +alice@example\.org$/m);
});

test('with --json a result is one JSON document on stdout that holds no token', async () => {
  await using alice = await openAlice();
  const login = await alice.home.runHere(['login', '--username', 'alice', '--password-stdin', '--json'], {
    input: secret,
  });
  expect(JSON.parse(login.stdout)).toMatchObject({ username: 'alice', server: alice.server.url, profile: 'default' });
  const who = await alice.home.runHere(['--json', 'whoami']);
  expect(JSON.parse(who.stdout)).toMatchObject({ user: { username: 'alice', permissions: ['file:read'] } });
  expect(login.stdout + login.stderr + who.stdout).not.toMatch(/token-|correct horse/);
});

test('a wrong password ends with 77 and stores no session', async () => {
  await using alice = await openAlice();
  const login = await alice.home.runHere(['login', '--username', 'alice', '--password-stdin'], {
    input: 'not it at all',
  });
  expect(login).toMatchObject({ code: 77, stdout: '' });
  expect(login.stderr).toContain('user name or password is wrong');
  expect(login.stderr).not.toContain('not it at all');
  expect((await alice.home.runHere(['whoami'])).code).toBe(77);
});

test('logout ends the local session and the one on the server, and can be repeated', async () => {
  await using alice = await openAlice();
  await alice.logIn();
  expect(await alice.home.runHere(['logout'])).toMatchObject({ code: 0, stdout: '' });
  expect(alice.server.tokens.size).toBe(0);
  expect(await alice.home.read('credentials.json')).toEqual({ sessions: [] });
  const again = await alice.home.runHere(['logout', '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ wasLoggedIn: false });
  expect(again.code).toBe(0);
});

test('logout --everywhere ends the sessions of all machines', async () => {
  await using alice = await openAlice();
  await alice.logIn();
  await alice.logIn();
  expect(alice.server.tokens.size).toBe(2);
  expect(await alice.home.runHere(['logout', '--everywhere'])).toMatchObject({ code: 0 });
  expect(alice.server.tokens.size).toBe(0);
});

test('logout --local deletes the session without the server', async () => {
  await using alice = await openAlice();
  await alice.logIn();
  await alice.server[Symbol.asyncDispose]();
  expect(await alice.home.runHere(['logout'])).toMatchObject({ code: 69 });
  expect(await alice.home.runHere(['logout', '--local'])).toMatchObject({ code: 0 });
  expect(await alice.home.read('credentials.json')).toEqual({ sessions: [] });
});

test('a script registers in two calls: it requests the code, then creates the account and signs in', async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const first = await home.runHere(['register', '--email', 'Bob@Example.org', '--json']);
  expect(JSON.parse(first.stdout)).toEqual({ codeSent: true, email: 'bob@example.org', expiresIn: 180 });
  const flags = ['--email', 'bob@example.org', '--code', '123456', '--username', 'bob', '--password-stdin'];
  const second = await home.runHere(['register', ...flags], { input: secret });
  expect(second).toMatchObject({ code: 0, stdout: '' });
  expect(server.calls).toEqual(['requestMailCode', 'register', 'login']);
  expect((await home.runHere(['whoami'])).stdout).toMatch(/^user +bob$/m);
});

test('a wrong code and a name in use are rejected with 1', async () => {
  await using alice = await openAlice();
  const flags = ['--email', 'a@example.org', '--username', 'alice', '--password-stdin'];
  const wrong = await alice.home.runHere(['register', ...flags, '--code', '000000'], { input: secret });
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain('try: run the command again without --code');
  const taken = await alice.home.runHere(['register', ...flags, '--code', '123456'], { input: secret });
  expect(taken).toMatchObject({ code: 1 });
  expect(taken.stderr).toContain('taken');
});

test.each([
  ['an e-mail address', ['--email', 'nobody']],
  ['a code', ['--email', 'a@example.org', '--code', '12']],
  ['a user name', ['--email', 'a@example.org', '--code', '123456', '--username', 'x y', '--password-stdin']],
])('%s that is malformed is rejected before anything is sent', async (_what, flags) => {
  await using alice = await openAlice();
  expect(await alice.home.runHere(['register', ...flags], { input: secret })).toMatchObject({ code: 64, stdout: '' });
  expect(alice.server.calls).toEqual([]);
});

test('setup creates the first administrator with the code of the server', async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const flags = ['--username', 'root', '--email', 'root@example.org', '--password-stdin'];
  expect(await home.runHere(['setup', '--code', 'WRONG', ...flags], { input: secret })).toMatchObject({ code: 1 });
  const done = await home.runHere(['setup', '--code', 'SETUP-CODE', ...flags, '--json'], { input: secret });
  expect(JSON.parse(done.stdout)).toMatchObject({ user: { role: 'admin' }, session: { username: 'root' } });
});

test('a password is reset with the mailed code, and the new one signs in', async () => {
  await using alice = await openAlice();
  const flags = ['password', 'reset', '--email', 'alice@example.org'];
  expect((await alice.home.runHere(flags)).stderr).toContain('A code was mailed');
  const next = 'entirely new words';
  const reset = await alice.home.runHere([...flags, '--code', '123456', '--password-stdin'], { input: next });
  expect(reset).toMatchObject({ code: 0, stdout: '' });
  const login = await alice.home.runHere(['login', '--username', 'alice', '--password-stdin'], { input: next });
  expect(login.code).toBe(0);
});

test('the first login with --server sets the server of the profile; a later one does not change it', async () => {
  await using server = await openTestServer();
  await using other = await openTestServer();
  for (const each of [server, other]) each.addAccount('alice', secret);
  await using home = await openHome();
  const login = (url: string) =>
    home.runHere(['login', '--server', url, '--username', 'alice', '--password-stdin'], { input: secret });
  await login(`${server.url}/`);
  expect((await home.runHere(['config', 'get', 'server'])).stdout).toBe(`${server.url}\n`);
  await login(other.url);
  expect((await home.runHere(['config', 'get', 'server'])).stdout).toBe(`${server.url}\n`);
  expect((await home.runHere(['whoami', '--server', other.url])).code).toBe(0);
});

test('a token is only sent to the server that issued it', async () => {
  await using alice = await openAlice();
  await using stranger = await openTestServer();
  await alice.logIn();
  expect(await alice.home.runHere(['whoami', '--server', stranger.url])).toMatchObject({ code: 77 });
  expect(stranger.calls).toEqual([]);
});

test('a token from the environment has priority over the stored session and is never stored', async () => {
  await using alice = await openAlice();
  alice.server.tokens.set('from-the-environment', 'alice');
  const env = { RECORDPROOF_TOKEN: 'from-the-environment' };
  const who = await alice.home.runHere(['whoami', '--json'], { env });
  expect(JSON.parse(who.stdout)).toMatchObject({ user: { username: 'alice' }, sessionExpiresAt: null });
  const dead = await alice.home.runHere(['whoami'], { env: { RECORDPROOF_TOKEN: 'dead' } });
  expect(dead).toMatchObject({ code: 77 });
  expect(dead.stderr).toContain('does not accept the token in RECORDPROOF_TOKEN');
  await expect(alice.home.read('credentials.json')).rejects.toThrow('ENOENT');
});

test.each(['login', 'setup', 'register', 'password reset'])(
  '%s reports an unreachable server before it prompts',
  async command => {
    await using home = await openHome({ url: await findDeadAddress() });
    const run = await home.runHere(command.split(' '));
    expect(run).toMatchObject({ code: 69, stderr: expect.stringContaining('ECONNREFUSED') });
  },
);
