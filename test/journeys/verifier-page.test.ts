// Journeys of the verifier's page in a real browser: four verdicts, in the browser, through the service and from a
// saved file; by mouse, by keyboard and by drag and drop; in the browser mode nothing leaves the machine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { writeOts } from '@recordproof/shared/evidence/ots.ts';
import { once } from '@recordproof/shared/once.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { cannedEvidence } from '../support/canned-evidence.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { content, flip, makeWorld, policyText } from '../support/existence-world.ts';
import { installed } from '../support/installed.ts';
import { bitcoinOts, headerLine } from '../support/ots-files.ts';
import { testWith } from '../support/programs.ts';
import { makeAuthority } from '../support/time-stamp-authority.ts';
import { listVectors, type Vector } from '../support/vectors.ts';
import { openTestVerifier, type TestVerifier } from '../support/verifier-service.ts';

const common = fileURLToPath(new URL('../vectors/common/', import.meta.url));
const wide = { width: 1280, height: 900 };
const phone = { width: 320, height: 640 };
const vectors = listVectors();

function vector(name: string): Vector {
  const found = vectors.find(candidate => candidate.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

const sound = vector('live-plain_ok');
const { live: answers } = sound;
if (answers === undefined) throw new Error('the sound vector must have live answers');
const damaged = vectors.find(({ expected }) => expected.code === 'ARCHIVE_ENTRY_CHECKSUM') ?? sound;
const otherFile = { ...sound, originalPath: join(common, 'another-file.bin') };

if (chromiumPath === undefined) console.warn(`The verifier's page is not looked at: ${noChromium}.`);

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'in Chromium' : noChromium, () => {
  const folder = mkdtempSync(join(tmpdir(), 'verifier-page-'));
  const saved = join(folder, 'verifier.html');
  let browser: Browser;
  let verifier: TestVerifier;

  beforeAll(async () => {
    browser = await launchChromium();
    verifier = await openTestVerifier({
      live: cannedEvidence(answers),
      settings: { VERIFIER_RATE_LIMIT_REQUESTS: '1000' },
    });
    const { stdout } = spawnSync(installed.verifier.file, [...installed.verifier.args, 'page'], { encoding: 'utf8' });
    writeFileSync(saved, stdout);
  });
  afterAll(async () => {
    await browser?.close();
    await verifier?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  type Visit = { page: Page; requests: string[] };

  /** Opens an address, passes the page to the test, and expects no console errors and no requests to other servers. */
  async function visit(url: string, options: BrowserContextOptions, look: (visit: Visit) => Promise<void>) {
    const context = await browser.newContext({ viewport: wide, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('request', request => {
      requests.push(`${request.method()} ${request.url()}`);
      if (!request.url().startsWith(verifier.url) && !/^(file|blob|data):/.test(request.url()))
        complaints.push(`asked ${request.url()}`);
    });
    page.on('console', message => complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(error.message));
    await page.goto(url);
    await look({ page, requests });
    expect(complaints).toEqual([]);
    await context.close();
  }

  async function choose(page: Page, { originalPath, proofPath, trustedKeyPath }: Vector): Promise<void> {
    await page.locator('#original').setInputFiles(originalPath);
    await page.locator('#proof').setInputFiles(proofPath);
    if (trustedKeyPath !== undefined) await page.locator('#trustedKey').setInputFiles(trustedKeyPath);
  }

  async function verdictOn(page: Page): Promise<string | null> {
    await page.locator('#verdict').waitFor();
    return page.locator('.outcome').textContent();
  }

  async function verify(page: Page, given: Vector): Promise<string | null> {
    await choose(page, given);
    await page.locator('#verify').click();
    return verdictOn(page);
  }

  test('the service returns every verdict, and only the service returns VALID', async () => {
    await visit(`${verifier.url}?through=service`, {}, async ({ page }) => {
      expect(await page.locator('.mode').textContent()).toContain('Your files are sent to this service.');
      expect(await verify(page, sound)).toBe('VALID');
      expect(await page.locator('h3', { hasText: '21 of 21 checks passed' }).count()).toBe(1);
      expect(await verify(page, otherFile)).toBe('INVALID');
    });
    await visit(`${verifier.url}?through=service`, {}, async ({ page }) => {
      expect(await verify(page, damaged)).toBe('ERROR');
    });
  });

  test('the browser checks the files without sending anything', async () => {
    await visit(verifier.url, {}, async ({ page, requests }) => {
      expect(await page.locator('.mode').textContent()).toContain('Your files stay on this computer.');
      await page.waitForLoadState('networkidle');
      const before = verifier.lines.length;
      expect(await verify(page, sound)).toBe('INDETERMINATE');
      expect(await verify(page, otherFile)).toBe('INVALID');
      expect(await page.locator('.check[open]').count()).toBe(3);
      // The worker's own script is the only request.
      expect(verifier.lines.slice(before).every(line => /^GET .assets.worker.js (200|304)/.test(line))).toBe(true);
      expect(requests.filter(request => request.startsWith('POST'))).toEqual([]);
    });
  });

  test('the content security policy forbids the page to send anything', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const url of [verifier.url, pathToFileURL(saved).href]) {
      await page.goto(url);
      const attempt = await page.evaluate(async target => {
        const image = () =>
          new Promise(resolve => {
            const picture = new Image();
            picture.onload = () => resolve('sent');
            picture.onerror = () => resolve('refused');
            picture.src = `${target}leak.png?data`;
          });
        const fetched = await fetch(`${target}api/v1/verify`, { method: 'POST', body: 'data' }).then(
          () => 'sent',
          () => 'refused',
        );
        return [fetched, target.startsWith(location.origin) ? 'refused' : await image()];
      }, verifier.url);
      expect(attempt).toEqual(['refused', 'refused']);
    }
    await context.close();
  });

  test('the page saved as one file works from disk', { tags: 'long' }, async () => {
    await visit(pathToFileURL(saved).href, {}, async ({ page, requests }) => {
      expect(await verify(page, sound)).toBe('INDETERMINATE');
      expect(await verify(page, otherFile)).toBe('INVALID');
      expect(await verify(page, damaged)).toBe('ERROR');
      expect(requests.filter(request => /http|ws/.test(request.split(':')[0] ?? ''))).toEqual([]);
    });
    const offered = await (await fetch(`${verifier.url}verifier.html`)).text();
    expect(offered).toBe(readFileSync(saved, 'utf8'));
  });

  test('form, verdict and next steps are in Chinese for a Chinese browser', { tags: 'long' }, async () => {
    await visit(verifier.url, { locale: 'zh-CN' }, async ({ page }) => {
      expect(await page.locator('h1').textContent()).toBe('将文件与其证明对照');
      expect(await verify(page, otherFile)).toBe('INVALID');
      expect(await page.locator('#verdict').textContent()).toBe('证明不成立。');
      const told = await page.locator('#result').textContent();
      expect(told).toContain('这个文件不是登记的文件');
      expect(told).toContain('请确认这是正确的文件');
      // English words left in a translation are surrounded by spaces; names, codes and digests are not.
      expect(told?.match(/[a-z]{3,} [a-z]{2,} [a-z]{2,}/g)).toBeNull();
      await expectAccessible(page);
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: join(process.env.SCREENSHOTS, 'verifier-zh.png'), fullPage: true });
    });
    const { stdout } = spawnSync(installed.verifier.file, [...installed.verifier.args, 'page', '--language', 'zh'], {
      encoding: 'utf8',
    });
    expect(stdout).toContain('<html lang="zh"');
    const offered = await fetch(`${verifier.url}verifier.html`, { headers: { 'accept-language': 'zh-CN' } });
    expect([await offered.text(), offered.headers.get('vary')]).toEqual([stdout, 'accept-language']);
  });

  test('the report can be saved, as JSON and as text', { tags: 'long' }, async () => {
    await visit(verifier.url, {}, async ({ page }) => {
      await verify(page, sound);
      const save = async (label: string) => {
        const waiting = page.waitForEvent('download');
        await page.getByRole('button', { name: label }).click();
        return readFileSync(await (await waiting).path(), 'utf8');
      };
      const report = JSON.parse(await save('Save report (JSON)')) as VerificationReport;
      expect(report).toMatchObject({ schemaVersion: 'service-verification-report.v1', outcome: 'INDETERMINATE' });
      expect(report.checks).toHaveLength(21);
      expect(await save('Save report (text)')).toContain('Result: INDETERMINATE');
    });
  });

  test('every check is expanded for printing', { tags: 'long' }, async () => {
    await visit(verifier.url, {}, async ({ page }) => {
      await verify(page, sound);
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
      expect(await page.locator('.check:not([open])').count()).toBe(0);
      await page.evaluate(() => dispatchEvent(new Event('afterprint')));
      expect(await page.locator('.check[open]').count()).toBe(0);
    });
  });

  test('files dropped together are assigned to their fields by content', { tags: 'long' }, async () => {
    await visit(verifier.url, {}, async ({ page }) => {
      const files = [sound.trustedKeyPath ?? '', sound.originalPath, sound.proofPath].map(path => [
        ...readFileSync(path),
      ]);
      await page.evaluate(contents => {
        const transfer = new DataTransfer();
        for (const [at, content] of contents.entries())
          transfer.items.add(new File([Uint8Array.from(content)], `dropped-${at}`));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }, files);
      await page.locator('.slot.filled').nth(2).waitFor();
      const names = await page
        .locator('input[type=file]')
        .evaluateAll(inputs => inputs.map(input => (input as HTMLInputElement).files?.[0]?.name));
      expect(names).toEqual(['dropped-1', 'dropped-2', 'dropped-0', undefined]);
      await page.locator('#verify').click();
      expect(await verdictOn(page)).toBe('INDETERMINATE');
    });
  });

  test('by keyboard alone a verification is started, its verdict announced and a check opened', async () => {
    await visit(verifier.url, {}, async ({ page }) => {
      const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
      const stops: (string | null | undefined)[] = [];
      for (let count = 0; count < 8; count++) {
        await page.keyboard.press('Tab');
        stops.push(await focused());
      }
      expect(stops).toEqual([
        'Skip to content',
        'Send them to this service instead',
        'Save this page',
        'original',
        'proof',
        'trustedKey',
        'evidence',
        'verify',
      ]);
      await choose(page, sound);
      await page.locator('#verify').focus();
      await page.keyboard.press('Enter');
      await page.locator('#verdict').waitFor();
      expect(await focused()).toBe('verdict');
      expect(await page.locator('[role=status]').textContent()).toBe('Result: INDETERMINATE');
      for (let count = 0; count < 5; count++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect(await page.locator('.check').first().getAttribute('open')).toBe('');
    });
  });

  test('a verdict is removed when other files are selected or dropped', { tags: 'long' }, async () => {
    await visit(verifier.url, {}, async ({ page }) => {
      const isGone = async () => (await page.locator('#verdict').count()) === 0;
      await verify(page, sound);
      await page.locator('#original').setInputFiles(otherFile.originalPath);
      expect(await isGone()).toBe(true);
      expect(await page.locator('[role=status]').textContent()).toBe('');
      await verify(page, sound);
      await page.evaluate(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['other'], 'other'));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      });
      await page.locator('#verdict').waitFor({ state: 'detached' });
    });
  });

  test('during a verification the focus is on Cancel, and afterwards on Verify', { tags: 'long' }, async () => {
    const large = join(folder, 'large.bin');
    writeFileSync(large, '');
    truncateSync(large, 200 * 2 ** 20); // takes no space
    await visit(verifier.url, {}, async ({ page }) => {
      const focused = () => page.evaluate(() => document.activeElement?.id);
      await choose(page, { ...sound, originalPath: large });
      await page.locator('#verify').focus();
      await page.keyboard.press('Enter');
      expect(await focused()).toBe('cancel');
      await page.keyboard.press('Enter');
      await page.locator('#cancel').waitFor({ state: 'hidden' });
      expect(await focused()).toBe('verify');
      expect(await page.locator('#verify').isEnabled()).toBe(true);
    });
  });

  test('a rejection by the service is shown with its message', { tags: 'long' }, async () => {
    await using small = await openTestVerifier({ settings: { VERIFIER_MAX_ORIGINAL_FILE_BYTES: '100' } });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${small.url}?through=service`);
    await choose(page, sound);
    await page.locator('#verify').click();
    await page.locator('#problem').waitFor();
    expect(await page.locator('#problem').textContent()).toBe(
      'The original file is larger than this verifier accepts.',
    );
    await context.close();
  });

  /** The user's inputs: the file, the evidence archive, and the trusted parties. */
  const placeEvidence = once(async () => {
    const { stamp, roots } = makeAuthority(mkdtempSync(join(folder, 'authority-')));
    const world = await makeWorld();
    const target = mkdtempSync(join(folder, 'evidence-'));
    const write = (name: string, bytes: Uint8Array | string) => {
      writeFileSync(join(target, name), bytes);
      return join(target, name);
    };
    return {
      original: write('report.pdf', content),
      packed: write(
        'report.pdf.evidence.zip',
        writeEvidenceArchive({ archive: world.archive, tlogProof: world.tlogProof, stamp: stamp(world.stampDigest) }),
      ),
      archive: write('report.pdf.proof.zip', world.archive),
      tlogProof: write('report.pdf.tlog-proof', world.tlogProof),
      ots: write('report.pdf.ots', writeOts(bitcoinOts(world.digest, [], 7))),
      headers: write('headers.txt', headerLine(7, world.digest, 1_790_000_000)),
      policy: write('policy.txt', policyText()),
      roots: write('roots.pem', roots),
      other: write('other.pdf', flip(content, 1)),
    };
  });

  testWith('openssl')(
    'shows since when the file existed and who vouches for it, in both languages, without sending',
    { tags: 'long' },
    async () => {
      const given = await placeEvidence();
      const answerOn = async (
        page: Page,
        files: readonly string[],
        original = given.original,
        proof = given.packed,
      ) => {
        await page.locator('#original').setInputFiles(original);
        await page.locator('#proof').setInputFiles(proof);
        await page.locator('#evidence').setInputFiles([...files]);
        await page.locator('#verify').click();
        await page.locator('#verdict').waitFor();
        return page.locator('#existence .outcome').textContent();
      };
      const loose = [given.tlogProof, given.ots, given.headers];
      for (const url of [verifier.url, pathToFileURL(saved).href])
        await visit(url, {}, async ({ page, requests }) => {
          expect(await answerOn(page, [given.policy, given.roots])).toBe('EXISTED');
          expect(await page.locator('#existence').textContent()).toContain('no later than 2026-09-21 14:16:40 UTC');
          expect(await page.locator('.check.said', { hasText: 'time stamp' }).textContent()).toContain('✓ holds');
          expect(await answerOn(page, [])).toBe('NOT_SHOWN');
          expect(await page.locator('.check.said', { hasText: 'witness two.example' }).count()).toBe(1);
          expect(await page.locator('#existence').textContent()).toContain('Time stamps need root certificates');
          expect(await answerOn(page, loose, given.original, given.archive)).toBe('EXISTED');
          expect(await page.locator('.check.said', { hasText: 'Bitcoin block 7' }).count()).toBe(1);
          expect(await answerOn(page, [given.policy], given.other)).toBe('CONTRADICTED');
          expect(requests.filter(request => request.startsWith('POST'))).toEqual([]);
        });
      await visit(`${verifier.url}?through=service`, {}, async ({ page, requests }) => {
        expect(await page.locator('[data-slot=evidence]').textContent()).toContain('They are not sent');
        expect(await answerOn(page, [given.policy, given.roots])).toBe('EXISTED');
        expect(await answerOn(page, [given.policy], given.other)).toBe('CONTRADICTED');
        expect(requests.filter(request => request.startsWith('POST')).length).toBe(2);
        if (process.env.SCREENSHOTS)
          await page.screenshot({ path: join(process.env.SCREENSHOTS, 'page-service.png'), fullPage: true });
        await page.evaluate(() => Object.assign(window, { Worker: undefined }));
        await page.locator('#verify').click();
        await page.locator('#unanswered').waitFor();
        expect(await page.locator('#existence').count()).toBe(0);
      });
      await visit(verifier.url, { locale: 'zh-CN', colorScheme: 'dark', viewport: phone }, async ({ page }) => {
        expect(await answerOn(page, [given.policy, given.roots])).toBe('EXISTED');
        expect(await page.locator('#existence').textContent()).toContain(
          '这些字节最迟在 2026-09-21 14:16:40 UTC 已经存在',
        );
        await expectAccessible(page);
      });
    },
  );

  test('the saved page stays small', () => {
    expect(readFileSync(saved).length).toBeLessThan(110_000);
  });

  testWith('openssl')('vouchers that are dropped together are assigned to their fields', { tags: 'long' }, async () => {
    const given = await placeEvidence();
    await visit(verifier.url, {}, async ({ page }) => {
      const names = ['original', 'packed', 'tlogProof', 'ots', 'headers', 'policy', 'roots'] as const;
      const dropped = names.map(name => [basename(given[name]), readFileSync(given[name]).toString('base64')] as const);
      await page.evaluate(files => {
        const transfer = new DataTransfer();
        for (const [name, text] of files)
          transfer.items.add(new File([Uint8Array.from(atob(text), letter => letter.charCodeAt(0))], name));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }, dropped);
      const filesIn = (id: string) =>
        page
          .locator(`#${id}`)
          .evaluate(input => [...((input as HTMLInputElement).files ?? [])].map(({ name }) => name));
      await expect.poll(() => filesIn('original')).toEqual(['report.pdf']);
      expect(await filesIn('proof')).toEqual(['report.pdf.evidence.zip']);
      expect(await filesIn('evidence')).toEqual(names.slice(2).map(name => basename(given[name])));
    });
  });

  async function expectAccessibleVerdicts(colorScheme: 'light' | 'dark', viewport: typeof wide): Promise<void> {
    await visit(verifier.url, { colorScheme, viewport }, async ({ page }) => {
      for (const given of [sound, otherFile, damaged]) {
        await verify(page, given);
        await page.getByRole('button', { name: 'Open all' }).click();
        await expectAccessible(page);
      }
    });
  }

  test('the page has no axe violations', () => expectAccessibleVerdicts('light', wide));

  test('in dark on a phone the page has no axe violations', { tags: 'long' }, () =>
    expectAccessibleVerdicts('dark', phone),
  );
});
