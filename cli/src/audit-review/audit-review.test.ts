// Commands of the audit log, against a real server.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startApp } from '../../../test/support/app.ts';
import { openHome } from '../testing.ts';

// Each test runs the program several times.
vi.setConfig({ testTimeout: 180_000 });

async function openPlace() {
  const app = await startApp();
  const home = await openHome({ url: app.app.url });
  const root = await app.person('root', { role: 'admin' });
  const env = { RECORDPROOF_TOKEN: root.token ?? '' };
  return {
    home,
    run: (...args: string[]) => home.run(['admin', 'audit', ...args], { env }),
    [Symbol.asyncDispose]: async () => {
      await home[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

test('the log is shown in tables, as a row with its hashes, and as JSON', async () => {
  await using place = await openPlace();
  expect((await place.run('overview')).stdout).toMatch(/^operations +\d+, \d+ today$/m);
  const { records } = JSON.parse((await place.run('list', '--module', 'accounts', '--json')).stdout);
  expect(records[0]).toMatchObject({ module: 'accounts', username: 'root' });
  expect((await place.run('list')).stdout).toMatch(/^\d+ +2026-01-31 12:00:\d\d +root +accounts\.create +ok/m);
  expect((await place.run('show', records[0].id)).stdout).toMatch(/^hash +[0-9a-f]{64}$/m);
  expect((await place.run('show', 'x')).code).toBe(64);
  expect(await place.run('show', '99999')).toMatchObject({ code: 1, stderr: expect.stringContaining('no row 99999') });
});

test('settings change after confirmation, and a spreadsheet is not overwritten', async () => {
  await using place = await openPlace();
  expect(await place.run('config', 'HIGH_FREQ_THRESHOLD', '50')).toMatchObject({ code: 64, stdout: '' });
  const changed = await place.run('config', 'high-freq-threshold', '50', '--yes', '--json');
  expect(JSON.parse(changed.stdout)).toMatchObject([{ configKey: 'HIGH_FREQ_THRESHOLD', configValue: '50' }]);
  const settings = (await place.run('config')).stdout;
  expect(settings).toMatch(/^HIGH_FREQ_THRESHOLD 50\n {2}operations of one user .*, changed 2026-01-31 12:00$/m);
  const output = join(place.home.path, 'audit.xlsx');
  expect((await place.run('export', '-o', output)).stderr).toMatch(/^\d+ rows$/m);
  expect((await readFile(output)).subarray(0, 2).toString()).toBe('PK');
  expect((await place.run('export', '-o', output)).code).not.toBe(0);
  expect((await place.run('backup', '--delete')).code).toBe(64);
  expect((await place.run('backup')).stderr).toContain('there is nothing to back up');
});
