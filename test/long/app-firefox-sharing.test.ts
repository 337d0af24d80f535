// Journeys of files that leave the owner, in Firefox: the check of one's own file, a share with a password whose page gives
// a verdict, and a drop link whose sender saves a signed receipt.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { listShares } from '@recordproof/shared/api/shares.ts';
import { main } from '@recordproof/verifier/cli.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { type Firefox, firefoxPath, launchFirefox, noFirefox } from '../support/firefox.ts';
import { button, dialog, goToScreen, openApp, row } from '../support/firefox-app.ts';
import type { FirefoxPage } from '../support/firefox-page.ts';
import { laptop } from '../support/real-proofs.ts';
import { sendFile } from '../support/uploads.ts';

describe.skipIf(firefoxPath === undefined)(firefoxPath ? 'sharing in Firefox' : noFirefox, () => {
  let firefox: Firefox;
  let app: TestApp;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-firefox-sharing-'));
    app = await startApp({ env: laptop, clock: { now: () => Date.now(), advance: () => undefined } });
    firefox = await launchFirefox();
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const readLink = async (page: FirefoxPage): Promise<string> => {
    await page.find({ css: `${dialog} input[readonly]` });
    return String(await page.evaluate(`document.querySelector('${dialog} input[readonly]').value`));
  };
  const readStatements = (page: FirefoxPage) =>
    page.read<string[]>(`[...document.querySelectorAll('.statement')].map(one => one.className.split(' ')[1])`);

  test('one press checks the own file and shows a certificate, which is saved as a file', async () => {
    const vera = await app.person('vera');
    await sendFile(vera, Buffer.from('what was agreed'), 'contract.txt');
    await app.drain();
    const page = await openApp(firefox, app.app.url, 'vera');
    await page.press(row('contract.txt'));
    await page.press({ role: 'link', name: 'Check it here' });
    await page.expectText('Certificate of verification');
    const chips = () => page.read(`[...document.querySelectorAll('.verdict .chip')].map(one => one.textContent)`);
    await expect.poll(chips).toEqual(['VALID']);
    expect(await readStatements(page)).toEqual(['HOLDS', 'HOLDS', 'OPEN']);
    await page.find(button('Print or save as PDF'));
    const { name, path } = await page.download(() => page.press(button('Save as a file')));
    expect(name).toBe('contract.txt.certificate.html');
    expect(await readFile(path, 'utf8')).toMatch(/<h1>Certificate of verification<.*Unchanged since it was recorded/s);
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('a share with a password is created, changed and ended; its page checks the downloaded file', async () => {
    const sara = await app.person('sara');
    await sendFile(sara, Buffer.from('a report'), 'report.txt');
    await app.drain();
    const page = await openApp(firefox, app.app.url, 'sara');
    await page.find(row('report.txt'));
    await page.press({ label: 'Select report.txt' });
    await page.press(button('Share', '.chosen'));
    await page.fill({ label: 'Password', within: dialog }, 'open sesame');
    await page.press(button('Create the link', dialog));
    const link = await readLink(page);
    await page.press({ css: `${dialog} .title button` });
    await goToScreen(page, 'shares', 'Shares');
    await page.press(button('Change: report.txt'));
    await page.press({ css: `${dialog} label`, text: '1 day' });
    await page.fill({ label: 'Maximum number of opens', within: dialog }, '7');
    await page.press({ css: `${dialog} button[type=submit]` });
    await page.expectCount({ css: dialog }, 0);
    expect((await sara.call(listShares, {})).records).toMatchObject([{ maxAccesses: 7, hasPassword: true }]);

    const visitor = await firefox.newPage();
    await visitor.goTo(link);
    await visitor.fill({ label: 'Password' }, 'wrong horse');
    await visitor.keys('Enter');
    await visitor.find({ css: '[role=alert]' });
    await visitor.fill({ label: 'Password' }, 'open sesame');
    await visitor.press(button('Show the files'));
    await visitor.expectText('report.txt');
    const { name, path } = await visitor.download(() => visitor.press({ css: 'a[data-hash]' }));
    expect([name, await readFile(path, 'utf8')]).toEqual(['report.txt', 'a report']);
    await expect.poll(() => readStatements(visitor)).toEqual(['HOLDS', 'HOLDS', 'OPEN']);
    expect(await visitor.evaluate(`document.querySelector('.checked .headline').textContent`)).toMatch(
      /^Unchanged since it was recorded at .* UTC, on the word of the server/,
    );
    await visitor.close();

    await page.bringToFront();
    await page.press(button('Cancel share: report.txt'));
    await page.press(button('Cancel share', dialog));
    await page.expectText('Cancelled');
    expect((await fetch(link)).status).toBe(410);
    expect([page.complaints, visitor.complaints]).toEqual([[], []]);
    await page.close();
  });

  test('a drop link receives a file from a visitor without an account, whose signed receipt verifies', async () => {
    const rosa = await app.person('rosa');
    const page = await openApp(firefox, app.app.url, 'rosa');
    await page.expectText('No files yet');
    await page.press(button('Request files'));
    await page.fill({ label: 'Title', within: dialog }, 'Papers');
    await page.press(button('Request files', dialog));
    const link = await readLink(page);

    const visitor = await firefox.newPage();
    await visitor.goTo(link);
    await visitor.expectText('Papers');
    await visitor.fill({ label: 'Name' }, 'Li Lei');
    await visitor.press({ css: '#enter button' });
    await visitor.find({ css: '#choice' });
    const paper = join(folder, 'paper.pdf');
    await writeFile(paper, 'the answers');
    await visitor.choose('#choose', [paper]);
    const receipt = await visitor.download(() => visitor.press({ css: '#files li button', text: 'Save receipt' }));
    expect(receipt.name).toBe('paper.pdf.receipt.json');
    const key = await visitor.download(() => visitor.press({ css: '#key' }));
    let report = '';
    const write = (text: string) => (report += text);
    const code = await main(['receipt', receipt.path, '--file', paper, '--trusted-key', key.path], {
      ...{ stdin: (async function* () {})(), stdout: { write }, stderr: { write } },
    });
    expect([code, report]).toEqual([0, expect.stringContaining('Li Lei')]);
    await visitor.reload();
    await visitor.find({ css: '#files li button', text: 'Save receipt' });
    await visitor.close();

    await page.bringToFront();
    await app.drain();
    expect((await rosa.call(listFiles, {})).records).toMatchObject([{ fileName: 'paper.pdf' }]);
    await page.goTo(`${app.app.url}/app#/shares/requests`);
    await page.find({ css: 'li', text: '1 of 1000 files' });
    expect([page.complaints, visitor.complaints]).toEqual([[], []]);
    await page.close();
  });
});
