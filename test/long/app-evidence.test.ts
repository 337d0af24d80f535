// Journeys of evidence in the app: proofs of one and of several files with vouchers of their time, and the existence
// check of a file: with a policy, for other bytes, and without a policy.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { expectFit, goTo, openAppPage, phone, signIn, wide } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { sendFile } from '../support/uploads.ts';
import { startWitnessedApp } from '../support/witnessed-app.ts';

const names = ['contract.txt', 'plan.txt'] as const;
const contentOf = (name: string): Buffer => Buffer.from(`what ${name} says`);

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'evidence in the app' : noChromium, () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let app: TestApp;
  let folder: string;
  let policy: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-app-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const witnessed = stack.use(await startWitnessedApp());
    app = witnessed.app;
    policy = join(folder, 'policy.txt');
    await writeFile(policy, witnessed.policy);
    const ada = await app.person('ada');
    for (const name of names) await sendFile(ada, contentOf(name), name);
    await witnessed.vouch(ada);
    browser = await launchChromium();
    stack.defer(() => browser.close());
  });
  afterAll(() => stack.disposeAsync());

  /** The browser's downloads, by name, once there are `count` files. */
  async function saved(page: Page, count: number, act: () => Promise<unknown>): Promise<Map<string, string>> {
    const downloads: Download[] = [];
    const note = (download: Download) => void downloads.push(download);
    page.on('download', note);
    await act();
    await expect.poll(() => downloads.length).toBe(count);
    page.off('download', note);
    const paths = new Map<string, string>();
    for (const download of downloads) {
      const path = join(folder, download.suggestedFilename());
      await download.saveAs(path);
      paths.set(basename(path), path);
    }
    return paths;
  }

  const choose = (page: Page, form: string) => page.getByRole('radio', { name: form }).check({ force: true });
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
  const oneFile = 'Everything in one file (.evidence.zip)';

  test('a proof is saved with its vouchers beside it or in one file, for one file and for several', async () => {
    const { page, complaints } = await openAppPage(browser, app.app.url);
    await signIn(page, 'ada');
    await page.getByText('contract.txt').click();
    await page.getByRole('link', { name: 'Check it here' }).click();
    await page.getByText('VALID', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Certificate of verification' }).waitFor();
    await page.getByRole('button', { name: 'Print or save as PDF' }).waitFor();
    await expectFit(page, 'check-stored');
    expect(await page.locator('.statement').evaluateAll(all => all.map(({ className }) => className))).toEqual([
      'statement HOLDS',
      'statement HOLDS',
      'statement OPEN',
    ]);
    await page.getByText(/The ledger recorded it at .* by the clock/).waitFor();
    const [kept = ''] = (
      await saved(page, 1, () => page.getByRole('button', { name: 'Save as a file' }).click())
    ).values();
    expect(basename(kept)).toBe('contract.txt.certificate.html');
    const document = await readFile(kept, 'utf8');
    expect(document).toMatch(/<h1>Certificate of verification<.*Unchanged since it was recorded.*contract\.txt/s);
    expect(document).not.toMatch(/<script|<button|<svg/);
    await page.getByRole('link', { name: 'Show the file' }).click();
    await page.getByRole('button', { name: 'Save the proof' }).click();
    await expectFit(page, 'save-proof');
    const beside = await saved(page, 2, () => save(page));
    expect([...beside.keys()].sort()).toEqual(['contract.txt.proof.zip', 'contract.txt.tlog-proof']);
    expect(await readFile(beside.get('contract.txt.tlog-proof') ?? '', 'utf8')).toContain('— one.example ');
    await page.getByRole('button', { name: 'Save the proof' }).click();
    await choose(page, oneFile);
    const [packed = ''] = (await saved(page, 1, () => save(page))).values();
    const { archive, tlogProof } = readEvidenceArchive(await readFile(packed));
    expect((await readFile(beside.get('contract.txt.proof.zip') ?? '')).equals(archive)).toBe(true);
    expect((await readFile(beside.get('contract.txt.tlog-proof') ?? '')).equals(tlogProof ?? archive)).toBe(true);

    await page.getByRole('button', { name: 'Close' }).click();
    for (const name of names) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Proofs' }).click();
    await choose(page, oneFile);
    await expectFit(page, 'save-proofs');
    const several = await saved(page, 2, () => save(page));
    expect([...several.keys()].sort()).toEqual(names.map(name => `${name}.evidence.zip`));
    await page.getByText('Done', { exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('checking a file with its evidence shows since when it existed, if a witness is trusted', async () => {
    const { page, complaints } = await openAppPage(browser, app.app.url);
    await signIn(page, 'ada');
    await page.getByText('contract.txt').click();
    await page.getByRole('button', { name: 'Save the proof' }).click();
    await choose(page, oneFile);
    const [proof = ''] = (await saved(page, 1, () => save(page))).values();
    await goTo(page, 'Check a proof');
    const check = async (buffer: Buffer, evidence: readonly string[]) => {
      await page.getByLabel('The file', { exact: true }).setInputFiles({
        ...{ name: 'contract.txt', mimeType: 'text/plain', buffer },
      });
      await page.getByLabel('Its proof (.zip)').setInputFiles(proof);
      await page.getByLabel('Vouchers').setInputFiles([...evidence]);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.locator('.verdict').first().waitFor();
      return page.locator('.verdict .chip').allTextContents();
    };
    expect(await check(contentOf('contract.txt'), [policy])).toEqual(['VALID', 'EXISTED']);
    await page.getByText('These bytes existed no later than').first().waitFor();
    await expectWidths(page, 'existed');
    expect(await check(Buffer.from('other bytes'), [policy])).toEqual(['INVALID', 'CONTRADICTED']);
    await expectWidths(page, 'contradicted');
    expect(await check(contentOf('contract.txt'), [])).toEqual(['VALID', 'NOT_SHOWN']);
    await page.getByText('witness one.example', { exact: true }).waitFor();
    await page.getByText('Witnesses need a policy with the keys').waitFor();
    await expectWidths(page, 'not-shown');
    expect(complaints).toEqual([]);
  });

  test('a change of an input clears the verdict, and stops the check of the earlier input', async () => {
    const { page, complaints } = await openAppPage(browser, app.app.url);
    await signIn(page, 'ada');
    await page.getByText('contract.txt').click();
    await page.getByRole('button', { name: 'Save the proof' }).click();
    await choose(page, oneFile);
    const [proof = ''] = (await saved(page, 1, () => save(page))).values();
    await goTo(page, 'Check a proof');
    const file = page.getByLabel('The file', { exact: true });
    const archive = page.getByLabel('Its proof (.zip)');
    const start = page.getByRole('button', { name: 'Check', exact: true });
    const verdict = page.locator('.verdict').first();
    const fileOf = (name: string) => ({ name, mimeType: 'text/plain', buffer: contentOf('contract.txt') });
    await file.setInputFiles(fileOf('contract.txt'));
    await archive.setInputFiles(proof);
    const changes: readonly (() => Promise<void>)[] = [
      () => file.setInputFiles({ name: 'other.txt', mimeType: 'text/plain', buffer: Buffer.from('other bytes') }),
      async () =>
        archive.setInputFiles({ name: 'copy.zip', mimeType: 'application/zip', buffer: await readFile(proof) }),
      () => page.getByLabel('Trusted key').setInputFiles(policy),
      () => page.getByLabel('Vouchers').setInputFiles(policy),
      () => page.getByLabel(/^Ask http/).uncheck(),
    ];
    for (const change of changes) {
      await start.click();
      await verdict.waitFor();
      await change();
      await expect.poll(() => page.locator('.verdict, .facts').count()).toBe(0);
      await page.getByLabel('Trusted key').setInputFiles([]);
      await page.getByLabel(/^Ask http/).check();
      await file.setInputFiles(fileOf('contract.txt'));
    }

    // The check of the first file waits for the server when the second is chosen.
    const answers = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route('**/api/v1/public/**', async route => {
      held.resolve();
      await answers.promise;
      await route.continue().catch(() => undefined); // the page has cancelled it
    });
    await start.click();
    await held.promise;
    await file.setInputFiles(fileOf('second.txt'));
    await expect.poll(() => start.isEnabled()).toBe(true);
    answers.resolve();
    await page.waitForTimeout(500);
    expect(await page.locator('.verdict, .problem').count()).toBe(0);
    await start.click();
    await verdict.getByText('File: second.txt').waitFor();
    expect(complaints).toEqual([]);
  });

  async function expectWidths(page: Page, name: string): Promise<void> {
    await page.locator('.verdict').nth(1).scrollIntoViewIfNeeded();
    await expectFit(page, `existence-${name}`);
    await page.setViewportSize(phone);
    const [needed = 0, there = 0] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(needed).toBeLessThanOrEqual(there);
    await page.setViewportSize(wide);
  }
});
