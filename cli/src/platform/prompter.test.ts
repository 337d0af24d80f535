// Prompts on a terminal: hidden password, pasted answers, retries after a wrong answer.
import { expect } from 'vitest';
import { testWith } from '../../../test/support/programs.ts';
import { openHome, openTestServer } from '../testing.ts';

const test = testWith('script');

const secret = 'correct horse battery';

test('a person is prompted for name and password, and the password is never shown', async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  server.addAccount('alice', secret);
  const login = await home.type(
    ['login'],
    [
      ['User name: ', 'alice\r'],
      ['Password: ', `${secret}\r`],
    ],
  );
  expect(login.code).toBe(0);
  expect(login.stdout).toContain('as alice');
  expect(login.stdout).not.toContain('correct');
});

test('a person registers in one session', async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const register = await home.type(
    ['register'],
    [
      ['E-mail: ', 'bob@example.org\r'],
      ['Code from the e-mail: ', '123456\r'],
      ['User name: ', 'bob\r'],
      ['New password: ', `${secret}\r`],
      ['The same again: ', `${secret}\r`],
    ],
  );
  expect(register.stdout).toContain('The account bob is open.');
  expect(register.stdout).not.toContain('correct');
  expect(server.calls).toEqual(['requestMailCode', 'register', 'login']);
});

test('answers pasted ahead are used for the next prompts', { tags: 'long' }, async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  server.addAccount('alice', secret);
  const login = await home.type(['login'], [['User name: ', `alice\r${secret}\r`]]);
  expect(login.code).toBe(0);
});

test('a mistyped answer is reported and prompted again', async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const setup = await home.type(
    ['setup', '--code', 'SETUP-CODE', '--username', 'root'],
    [
      ['E-mail: ', 'nobody\r'],
      ['must be an e-mail address', ''],
      ['E-mail: ', 'root@example.org\r'],
      ['New password: ', 'short\r'],
      ['at least 8 characters', ''],
      ['New password: ', `${secret}\r`],
      ['The same again: ', `${secret}!\r`],
      ['not the same', ''],
      ['New password: ', `${secret}\r`],
      ['The same again: ', `${secret}\r`],
    ],
  );
  expect(setup.code).toBe(0);
  expect(server.calls).toEqual(['setUp', 'login']);
});

test('three wrong answers end the command', { tags: 'long' }, async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const wrong: [string, string] = ['E-mail: ', 'nobody\r'];
  const reset = await home.type(['password', 'reset'], [wrong, wrong, wrong]);
  expect(reset.code).toBe(64);
  expect(server.calls).toEqual([]);
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s at a prompt ends with 130 and no error text', async (_name, key) => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const login = await home.type(['login', '--username', 'alice'], [['Password: ', key]]);
  expect(login.code).toBe(130);
  expect(login.stdout).not.toContain('error');
});
