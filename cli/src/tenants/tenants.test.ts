// Tenants, managed by an installation administrator from the command line.
import { me } from '@recordproof/shared/api/auth.ts';
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
  root = await app.person('root', { isInstallationAdmin: true });
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const runAs = (person: Person, args: readonly string[]): Promise<Ended> =>
  home.runHere(['admin', 'tenants', ...args], { env: { RECORDPROOF_TOKEN: person.token ?? '' } });
const tenants = (...args: readonly string[]): Promise<Ended> => runAs(root, args);

test('a person of a second tenant is told the name that signs in', { tags: 'long' }, async () => {
  const created = JSON.parse((await tenants('create', 'acme', '--json')).stdout);
  const email = 'eve@example.org';
  const asked = ['register', '--invitation', created.invitation.link, '--email', email];
  expect((await home.runHere(asked)).stderr).toContain('--code');
  const input = 'a long enough secret';
  const given = ['--code', await app.mailedCode(email), '--username', 'eve', '--password-stdin'];
  expect((await home.runHere([...asked, ...given], { input })).stderr).toContain(
    'account eve is open; sign in as acme/eve.',
  );
  expect((await home.runHere(['whoami'])).stdout).toMatch(/^sign-in name +acme\/eve$/m);
  const logIn = (name: string) => home.runHere(['login', '--username', name, '--password-stdin'], { input });
  expect(await logIn('eve')).toMatchObject({ code: 77, stderr: expect.stringContaining('sign in as tenant/name') });
  expect(await logIn('acme/eve')).toMatchObject({ code: 0 });
});

test('a tenant is created, listed, suspended, reactivated and deleted; its own administrator is rejected', async () => {
  expect(await tenants('create', 'acme')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/invitation=[0-9A-Za-z]{44}\n$/),
    stderr: expect.stringContaining('Tenant acme is created.'),
  });
  const boss = await app.person('boss', { role: 'admin', tenant: 'acme' });
  expect((await tenants('list')).stdout).toMatch(/^acme +active +1 +0 /m);
  for (const args of [
    ['list'],
    ['create', 'mine'],
    ['suspend', 'acme', '--yes'],
    ['delete', 'acme', '--confirm', 'acme'],
  ])
    expect(await runAs(boss, args), args.join(' ')).toMatchObject({ code: 77 });
  expect(await tenants('suspend', 'acme')).toMatchObject({ code: 64 }); // no terminal for the question
  expect(await tenants('suspend', 'acme', '--yes', '--reason', 'unpaid')).toMatchObject({
    code: 0,
    stderr: 'Tenant acme is suspended.\n',
  });
  expect(await boss.expectError(me)).toMatchObject({ status: 401 });
  expect(await tenants('reactivate', 'acme')).toMatchObject({ code: 0, stderr: 'Tenant acme is active.\n' });
  expect(await tenants('delete', 'acme', '--confirm', 'acmee')).toMatchObject({
    stderr: expect.stringContaining('nothing was deleted'),
  });
  const deleted = await tenants('delete', 'acme', '--confirm', 'acme', '--json');
  expect(JSON.parse(deleted.stdout)).toMatchObject({ name: 'acme', status: 'DELETING' });
  await app.drain();
  expect((await tenants('list')).stderr).toBe('page 1 of 1, 1 tenant\n');
});
