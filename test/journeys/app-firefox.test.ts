// Journeys of the app in Firefox, where it is installed: a browser without file handles, and with another engine.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { startApp, testPassword } from '../support/app.ts';
import { firefoxPath, launchFirefox, noFirefox } from '../support/firefox.ts';
import { makeHostilePdf } from '../support/pdf.ts';
import { exportProof, laptop } from '../support/real-proofs.ts';
import { share } from '../support/shares.ts';
import { storeTyped } from '../support/uploads.ts';

if (firefoxPath === undefined) console.warn(`The app is not looked at in Firefox: ${noFirefox}.`);

test.skipIf(firefoxPath === undefined)(
  firefoxPath ? 'in Firefox a person signs in, uploads a file, finds it, and verifies its proof' : noFirefox,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-firefox-'));
    await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
    const plan = join(folder, 'plan.txt');
    await writeFile(plan, 'what was agreed');
    await using app = await startApp({ env: laptop });
    const ada = await app.person('ada');
    await using firefox = await launchFirefox();
    const page = await firefox.newPage();
    await page.goTo(`${app.app.url}/app`);
    await page.fill({ label: 'User name or e-mail address' }, 'ada');
    await page.fill({ label: 'Password' }, testPassword);
    await page.press({ role: 'button', name: 'Sign in' });
    await page.expectText('No files yet');
    await page.expectText('Live');
    await page.choose('input[aria-label="Upload files"]', [plan]);
    await page.expectText('Done');
    await page.press({ role: 'link', name: 'Files' });
    await page.expectText('plan.txt');

    await app.drain();
    const { records } = await ada.call(listFiles, {});
    expect(records).toMatchObject([{ fileName: 'plan.txt' }]);
    const proof = join(folder, 'plan.proof.zip');
    await writeFile(proof, await exportProof(ada, records[0]?.id ?? ''));
    await storeTyped(ada, makeHostilePdf('What was agreed', `${app.app.url}/docs`), 'pages.pdf', 'application/pdf');
    await page.press({ role: 'link', name: 'Account' });
    await page.press({ role: 'link', name: 'Files' });
    await page.expectText('pages.pdf');
    await page.evaluate(
      `[...document.querySelectorAll('[role=row]')].find(row => row.innerText.includes('pages.pdf'))?.click()`,
    );
    await page.expectText('A preview without links, forms and scripts');
    await expect.poll(() => page.evaluate('document.querySelector("canvas[aria-busy=false]")?.width ?? 0')).toBe(1200);
    const shared = await storeTyped(ada, Buffer.from('globalThis.ran = true'), 'run.js', 'text/javascript');
    const { shareCode } = await share(ada, shared);
    const attack = `import('/s/${shareCode}/files/${shared}').then(() => 'ran', () => 'refused')`;
    expect(await page.evaluate(attack)).toBe('refused');

    await page.press({ role: 'link', name: 'Check a proof' });
    await page.choose('main input[type=file][required]', [plan]);
    await page.choose('main .field:nth-of-type(2) input[type=file]', [proof]);
    await page.press({ role: 'button', name: 'Check' });
    await page.expectText('The proof holds.');
  },
);
