// Journey of the desktop app on Electron itself, where its binary is installed. desktop-window uses a stand-in for it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findElectron, noElectron } from '../../scripts/package/electron-binary.ts';
import { startApp, testPassword } from '../support/app.ts';
import { buildDesktop } from '../support/electron/bundles.ts';
import { sendFile } from '../support/uploads.ts';

const hasScreen = process.platform !== 'linux' || process.env.DISPLAY !== undefined;
const electron = hasScreen ? findElectron() : undefined;
const why = hasScreen ? noElectron : 'no screen (start it with xvfb-run)';

describe.skipIf(electron === undefined)(electron ? 'the desktop app on Electron' : why, () => {
  test('a person signs in, sees the stored files, and a link opens the verifier page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-electron-'));
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => rm(folder, { recursive: true, force: true }));
    const app = cleaning.use(await startApp());
    await sendFile(await app.person('ada'), Buffer.from('plan'), 'plan.txt');
    await buildDesktop(join(folder, 'out'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'recordproof', main: 'out/main/main.js' }));
    const program = await _electron.launch({
      executablePath: electron?.path ?? '',
      args: [folder, `--user-data-dir=${join(folder, 'data')}`, '--no-sandbox'],
    });
    cleaning.defer(() => program.close());
    const page = await program.firstWindow();
    await page.getByText('Another server or account').click();
    await page.getByLabel('Address of a server').fill(app.app.url);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('User name').fill('ada');
    await page.getByLabel('Password').fill(testPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('plan.txt').waitFor();
    expect(await page.evaluate(() => [typeof Object(window).require, typeof Object(window).process])).toEqual([
      'undefined',
      'undefined',
    ]);
    await program.evaluate(({ app: shell }) => {
      shell.emit('second-instance', {}, ['recordproof', 'recordproof://verify']);
    });
    await page.getByRole('heading', { name: 'Check a proof' }).waitFor();
  });
});
