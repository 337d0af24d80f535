// Renewal of the stored session: early renewal, concurrent commands, failed renewal, expiry and sign-out.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome, openTestServer } from '../testing.ts';

const minute = 60_000;

/** Alice, whose session of an hour was opened some minutes ago. */
async function openAlice(minutesAgo: number) {
  const server = await openTestServer();
  const home = await openHome(server);
  server.addAccount('alice', 'correct horse');
  await home.runHere(['login', '--username', 'alice', '--password-stdin'], { input: 'correct horse' });
  const path = join(home.configFolder, 'credentials.json');
  const { sessions } = (await home.read('credentials.json')) as { sessions: Record<string, string>[] };
  const [session] = sessions;
  const aged = {
    ...session,
    issuedAt: new Date(Date.now() - minutesAgo * minute).toISOString(),
    expiresAt: new Date(Date.now() + (60 - minutesAgo) * minute).toISOString(),
  };
  const save = (changes: object) => writeFile(path, JSON.stringify({ sessions: [{ ...aged, ...changes }] }));
  await save({});
  server.calls.length = 0;
  return {
    server,
    home,
    token: session?.token,
    save,
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('a new session is used as it is', async () => {
  await using alice = await openAlice(30);
  expect((await alice.home.runHere(['whoami'])).code).toBe(0);
  expect(alice.server.calls).toEqual(['me']);
});

test('a session close to its end is renewed, and the new token is stored', async () => {
  await using alice = await openAlice(50);
  expect((await alice.home.runHere(['whoami'])).code).toBe(0);
  expect(alice.server.calls).toEqual(['refreshToken', 'me']);
  expect([...alice.server.tokens.keys()]).not.toContain(alice.token);
  expect((await alice.home.runHere(['whoami'])).code).toBe(0);
  expect(alice.server.calls).toEqual(['refreshToken', 'me', 'me']);
});

test('of many concurrent runs one renews the session, and all succeed', async () => {
  await using alice = await openAlice(50);
  const runs = await Promise.all(Array.from({ length: 6 }, () => alice.home.run(['whoami'])));
  expect(runs.map(run => run.code)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(alice.server.calls.filter(name => name === 'refreshToken')).toHaveLength(1);
});

test('a run whose token was renewed elsewhere retries with the new one', async () => {
  await using alice = await openAlice(30);
  const swap = async () => {
    alice.server.tokens.clear();
    alice.server.tokens.set('swapped', 'alice');
    await alice.save({ token: 'swapped' });
  };
  alice.server.failing.push({ kind: 'PERMISSION_TOKEN_INVALID', meanwhile: swap });
  expect((await alice.home.runHere(['whoami'])).code).toBe(0);
  expect(alice.server.calls).toEqual(['me', 'me']);
});

test('a session whose renewal fails is used until it expires', async () => {
  await using alice = await openAlice(50);
  alice.server.failing.push({ kind: 'SYSTEM_BUSY' });
  expect((await alice.home.runHere(['whoami'])).code).toBe(0);
  expect([...alice.server.tokens.keys()]).toContain(alice.token);
});

test('an expired session is not sent, and the login command is shown', async () => {
  await using alice = await openAlice(61);
  const who = await alice.home.runHere(['whoami']);
  expect(who).toMatchObject({ code: 77, stdout: '' });
  expect(who.stderr).toContain('has expired or ended');
  expect(who.stderr).toContain('sign in again: recordproof login');
  expect(alice.server.calls).toEqual([]);
});

test('a session ended by the server is reported', async () => {
  await using alice = await openAlice(30);
  alice.server.tokens.clear();
  const who = await alice.home.runHere(['whoami', '--json']);
  expect(who.code).toBe(77);
  expect(JSON.parse(who.stdout)).toMatchObject({
    error: { exitCode: 77, try: expect.stringContaining('sign in again') },
  });
});

test('a logout during a renewal does not restore the session', async () => {
  await using alice = await openAlice(50);
  const [who, logout] = await Promise.all([alice.home.run(['whoami']), alice.home.run(['logout'])]);
  expect(logout.code).toBe(0);
  expect([0, 77]).toContain(who.code);
  expect(await alice.home.read('credentials.json')).toEqual({ sessions: [] });
});
