// Commands of the audit log, against a real server.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startApp } from '../../../test/support/app.ts';
import { openHome } from '../testing.ts';

// Each test runs the program several times.
vi.setConfig({ testTimeout: 180_000 });

async function openFixture() {
  const app = await startApp();
  const home = await openHome({ url: app.app.url });
  const root = await app.person('root', { role: 'admin' });
  const env = { RECORDPROOF_TOKEN: root.token ?? '' };
  return {
    home,
    run: (...args: string[]) => home.runHere(['admin', 'audit', ...args], { env }),
    [Symbol.asyncDispose]: async () => {
      await home[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

test('the log is shown in tables, as a row with its hashes, and as JSON', async () => {
  await using fixture = await openFixture();
  expect((await fixture.run('overview')).stdout).toMatch(/^operations +\d+, \d+ today$/m);
  const { records } = JSON.parse((await fixture.run('list', '--module', 'accounts', '--json')).stdout);
  expect(records[0]).toMatchObject({ module: 'accounts', username: 'root' });
  expect((await fixture.run('list')).stdout).toMatch(/^\d+ +2026-01-31 12:00:\d\d +root +accounts\.create +ok/m);
  expect((await fixture.run('show', records[0].id)).stdout).toMatch(/^hash +[0-9a-f]{64}$/m);
  expect((await fixture.run('show', 'x')).code).toBe(64);
  expect(await fixture.run('show', '99999')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no row 99999'),
  });
});

test('settings change after confirmation, and a spreadsheet is not overwritten', async () => {
  await using fixture = await openFixture();
  expect(await fixture.run('config', 'HIGH_FREQ_THRESHOLD', '50')).toMatchObject({ code: 64, stdout: '' });
  const changed = await fixture.run('config', 'high-freq-threshold', '50', '--yes', '--json');
  expect(JSON.parse(changed.stdout)).toMatchObject([{ configKey: 'HIGH_FREQ_THRESHOLD', configValue: '50' }]);
  const settings = (await fixture.run('config')).stdout;
  expect(settings).toMatch(/^HIGH_FREQ_THRESHOLD 50\n {2}operations of one user .*, changed 2026-01-31 12:00$/m);
  const output = join(fixture.home.path, 'audit.xlsx');
  expect((await fixture.run('export', '-o', output)).stderr).toMatch(/^\d+ rows$/m);
  expect((await readFile(output)).subarray(0, 2).toString()).toBe('PK');
  expect((await fixture.run('export', '-o', output)).code).not.toBe(0);
  expect((await fixture.run('backup', '--delete')).code).toBe(64);
  expect((await fixture.run('backup')).stderr).toContain('there is nothing to back up');
});
