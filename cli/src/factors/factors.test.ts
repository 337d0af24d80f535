// Second factors on the command line: set up, asked for at the login and before a command, given by a script.
import { addPasskey, beginPasskey } from '@recordproof/shared/api/passkeys.ts';
import { putFactorRequirement } from '@recordproof/shared/api/user-factors.ts';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, testPassword } from '../../../test/support/app.ts';
import { newSoftwarePasskey } from '../../../test/support/software-authenticator.ts';
import { type Home, openHome } from '../testing.ts';

const minute = 60_000;

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await openHome(app.app);
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});

const codeOf = (secret: string): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: app.clock.now() });
const secretIn = (shown: string): string => /secret into it: ([A-Z2-7]+)/.exec(shown)?.[1] ?? '';
const recoveryCodesIn = (shown: string): string[] => shown.match(/\b([a-z2-7]{4}-){3}[a-z2-7]{4}\b/g) ?? [];

test('one-time codes are set up, and requested by login and for a fresh factor, or given by flags', {
  tags: 'long',
}, async () => {
  await app.person('ada');
  const login = ['login', '--username', 'ada', '--password-stdin'];
  expect((await home.runHere(login, { input: testPassword })).code).toBe(0);
  const added = await home.type(['factors', 'add'], [['Code that the app shows', all => `${codeOf(secretIn(all))}\r`]]);
  expect(added.code).toBe(0);
  const secret = secretIn(added.stdout);
  const [recovery = ''] = recoveryCodesIn(added.stdout);
  expect(recoveryCodesIn(added.stdout)).toHaveLength(10);
  expect((await home.runHere(['factors', 'show'])).stdout).toContain('10 left');
  await home.runHere(['logout']);

  app.clock.advance(minute);
  const code = codeOf(secret);
  const asked = await home.type(
    ['login', '--username', 'ada'],
    [
      ['Password: ', `${testPassword}\r`],
      ['Code of your app', `${code}\r`],
    ],
  );
  expect(asked.stdout).toContain('Signed in to');
  const replayed = await home.runHere([...login, '--code', code], { input: testPassword });
  expect(replayed.code).not.toBe(0);
  expect(replayed.stderr).toContain('code');
  expect((await home.runHere([...login, '--code', recovery], { input: testPassword })).code).toBe(0);
  const again = await home.runHere([...login, '--code', recovery.toUpperCase()], { input: testPassword });
  expect(again.code).not.toBe(0);
  expect((await home.runHere([...login, '--code', 'short'], { input: testPassword })).stderr).toContain('6 digits');

  app.clock.advance(11 * minute);
  const renewed = await home.type(['factors', 'recovery-codes'], [['Code of your app', () => `${codeOf(secret)}\r`]]);
  expect(recoveryCodesIn(renewed.stdout)).toHaveLength(10);
  app.clock.advance(11 * minute);
  const byPassword = await home.runHere(['step-up', '--password-stdin'], { input: testPassword });
  expect(byPassword.stderr).toContain('this account has a second factor; use it instead of the password');
  expect((await home.runHere(['step-up', '--code', codeOf(secret)])).stderr).toContain('Good until');
  expect((await home.runHere(['factors', 'remove', '--yes'])).code).toBe(0);
  app.clock.advance(11 * minute);
  expect((await home.runHere(['step-up', '--password-stdin'], { input: testPassword })).stderr).toContain('Good until');
});

test('a required second factor is set up by login, and a script is told to use a terminal', {
  tags: 'long',
}, async () => {
  const root = await app.person('root', { role: 'admin' });
  await app.person('watcher', { role: 'monitor' });
  await root.call(putFactorRequirement, { body: { roles: ['monitor'], graceDays: 0 } });
  const script = await home.runHere(['login', '--username', 'watcher', '--password-stdin'], { input: testPassword });
  expect(script.code).toBe(64);
  expect(script.stderr).toContain('has to set up a second factor before it signs in');
  expect(script.stderr).toContain(`this needs a terminal (recordproof login) or a browser (${app.app.url}/app)`);
  const enrolled = await home.type(
    ['login', '--username', 'watcher'],
    [
      ['Password: ', `${testPassword}\r`],
      ['Code that the app shows', all => `${codeOf(secretIn(all))}\r`],
    ],
  );
  expect(enrolled.code).toBe(0);
  expect(enrolled.stdout).toContain('To set up a passkey instead, stop here');
  expect(recoveryCodesIn(enrolled.stdout)).toHaveLength(10);
  expect((await home.runHere(['whoami'])).stdout).toContain('watcher');
  expect((await home.runHere(['factors', 'show'])).stdout).toMatch(/required +yes, and set up/);
});

test('an account with only a passkey uses recovery codes for login and step-up', { tags: 'long' }, async () => {
  const person = await app.person('keyed');
  const passkey = newSoftwarePasskey(app.app.url.replace('127.0.0.1', 'localhost'));
  const credential = passkey.attest(await person.call(beginPasskey));
  const { recoveryCodes } = await person.call(addPasskey, { body: { name: 'Key', credential } });
  const [first = '', second = ''] = recoveryCodes ?? [];
  const login = await home.type(
    ['login', '--username', 'keyed'],
    [
      ['Password: ', `${testPassword}\r`],
      ['Recovery code: ', `${first}\r`],
    ],
  );
  expect(login.stdout).toContain('signs in with a passkey');
  expect(login.stdout).toContain('Signed in to');
  const steppedUp = await home.type(['step-up'], [['Recovery code: ', `${second}\r`]]);
  expect(steppedUp.stdout).toContain('Good until');
});
