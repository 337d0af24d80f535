// Commands of administrators, against a real server.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../test/support/app.ts';
import { share } from '../../../test/support/shares.ts';
import { sendFile } from '../../../test/support/uploads.ts';
import { type Ended, type Home, openHome } from '../testing.ts';

// Each test runs the program several times.
vi.setConfig({ testTimeout: 120_000 });

let app: TestApp;
let home: Home;
let root: Person;
let alice: Person;

beforeEach(async () => {
  app = await startApp();
  home = await openHome({ url: app.app.url });
  [root, alice] = [await app.person('root', { role: 'admin' }), await app.person('alice')];
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const as = (person: Person, ...args: readonly string[]): Promise<Ended> =>
  home.runHere(args, { env: { RECORDPROOF_TOKEN: person.token ?? '' } });

test('an administrator finds a file of any owner by name, shows, deletes and restores it', async () => {
  const { fileHash } = (await sendFile(alice, Buffer.from('bytes'), 'plan.pdf')).data as { fileHash: string };
  const list = await as(root, 'admin', 'files', 'list', '--owner', 'alice');
  expect(list.stdout).toMatch(/^1 +alice +success +[0-9a-f]{12} +5 B +2026-01-31 12:00 +plan\.pdf$/m);
  expect(list.stderr).toBe('page 1 of 1, 1 file\n');
  const shown = await as(root, 'admin', 'files', 'show', 'plan.pdf');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^owner +alice$/m);
  const asked = await as(root, 'admin', 'files', 'delete', '1');
  expect(asked).toMatchObject({ code: 64 });
  expect(asked.stderr).toContain('plan.pdf of alice  v1  5 B');
  const deleted = await as(root, 'admin', 'files', 'delete', 'plan.pdf', '--yes', '--reason', 'a test');
  expect(deleted).toMatchObject({ code: 0, stderr: '1 deleted\n' });
  expect((await as(root, 'admin', 'files', 'list')).stderr).toBe('no files\n');
  const gone = await as(root, 'admin', 'files', 'show', fileHash.slice(0, 8), '--json');
  expect(JSON.parse(gone.stdout)).toMatchObject({ status: 2, ownerName: 'alice', copyCount: 0 });
  const unasked = await as(root, 'admin', 'files', 'restore', 'plan.pdf');
  expect(unasked).toMatchObject({ code: 64 });
  expect(unasked.stderr).toContain('plan.pdf of alice  v1  5 B');
  expect((await as(root, 'admin', 'files', 'restore', 'plan.pdf', '-y')).stderr).toBe('plan.pdf of alice is stored\n');
  const stranger = await as(alice, 'admin', 'files', 'list');
  expect(stranger).toMatchObject({ code: 77, stdout: '' });
});

test('an administrator lists, inspects and cancels the shares of other users', async () => {
  const { fileHash } = (await sendFile(alice, Buffer.from('bytes'), 'plan.pdf')).data as { fileHash: string };
  const { shareCode: code } = await share(alice, fileHash);
  const list = await as(root, 'admin', 'shares', 'list', '--status', 'active');
  expect(list.stdout).toMatch(new RegExp(`^${code} +alice +active +public +0 +2026-01-31 13:00 +plan\\.pdf$`, 'm'));
  expect((await as(root, 'admin', 'shares', 'logs', code)).stderr).toContain('0 views');
  expect(await as(root, 'admin', 'shares', 'cancel', code)).toMatchObject({ code: 64 });
  expect(await as(root, 'admin', 'shares', 'cancel', code, '--yes')).toMatchObject({ code: 0 });
  expect((await as(root, 'admin', 'shares', 'list', '--status', 'cancelled')).stdout).toContain(code);
});

test('accounts are listed, promoted, suspended and reactivated, and their sessions ended', async () => {
  const list = await as(root, 'admin', 'users', 'list', '--role', 'user');
  expect(list.stdout).toMatch(/^alice +user +active +2026-01-31 12:00 +alice@example\.org$/m);
  expect(await as(root, 'admin', 'users', 'end-sessions', 'ALICE', '--yes')).toMatchObject({ code: 0 });
  expect((await alice.fetch('/api/v1/auth/me')).status).toBe(401);
  expect(await as(root, 'admin', 'users', 'role', 'alice', 'monitor')).toMatchObject({ code: 64 });
  const promoted = await as(root, 'admin', 'users', 'role', 'alice@example.org', 'monitor', '--yes');
  expect(promoted.stderr).toBe('alice is active, with the role monitor\n');
  expect((await as(root, 'admin', 'users', 'suspend', 'alice', '--yes')).stderr).toContain('alice is suspended');
  expect((await as(root, 'admin', 'users', 'activate', 'alice')).stderr).toContain('alice is active');
  const last = await as(root, 'admin', 'users', 'role', 'root', 'user', '--yes');
  expect(last).toMatchObject({ code: 1 });
  expect(last.stderr).toContain('last active administrator');
  expect((await as(root, 'admin', 'users', 'show', 'nobody')).stderr).toContain('there is no account "nobody"');
  expect((await as(root, 'admin', 'roles', 'list')).stdout).toContain('monitor: sees monitoring and audit');
  expect((await as(root, 'admin', 'roles', 'permissions')).stdout).toMatch(/^system:metrics +\S/m);
});

test('figures and health are shown, and returned to scripts as JSON', async () => {
  expect((await as(root, 'admin', 'stats')).stdout).toMatch(/^users +2$/m);
  expect(JSON.parse((await as(root, 'admin', 'stats', '--json')).stdout)).toMatchObject({ todayDownloads: 0 });
  const health = await as(root, 'admin', 'health');
  expect(health).toMatchObject({ code: 0, stderr: 'the service is UP\n' });
  expect(health.stdout).toMatch(/^blockchain +UP +chainType LOCAL_LEDGER, nodeCount 1$/m);
  for (const part of ['encryption', 'integrity', 'scrub', 'disk', 'backup', 'outbox'])
    expect(health.stdout).toMatch(new RegExp(`^${part} +UP`, 'm'));
  expect((await as(root, 'admin', 'chain')).stdout).toMatch(/^healthy +yes$/m);
});
