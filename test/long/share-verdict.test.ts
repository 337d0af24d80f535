// The verdict on the page of a share, in a real browser: with an honest server, and with one that lies about bytes,
// proof, key, status or ledger. Unchecked statements are never shown as checked.
import { revokeProof } from '@recordproof/shared/api/proofs.ts';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { exportProof, laptop } from '../support/real-proofs.ts';
import { share } from '../support/shares.ts';
import { storeProxied } from '../support/uploads.ts';
import { startWitnessedApp } from '../support/witnessed-app.ts';

type Stored = Awaited<ReturnType<typeof storeProxied>>;

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'in Chromium' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let alice: Person;
  let report: Stored;
  let other: Stored;
  let otherProof: Buffer;
  let code: string;
  const bytes = Buffer.alloc(200_000, 'a report of three hundred pages');

  beforeAll(async () => {
    browser = await launchChromium();
    app = await startApp({ env: laptop });
    alice = await app.person('alice');
    report = await storeProxied(alice, bytes, { name: 'report.pdf' });
    other = await storeProxied(alice, await pattern(200_000, 2), { name: 'other.pdf' });
    await app.drain();
    otherProof = await exportProof(alice, other.fileId);
    ({ shareCode: code } = await share(alice, report.fileHash));
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function visit(look: (page: Page) => Promise<void>, path = `/s/${code}`, locale = 'en-GB'): Promise<void> {
    const context = await browser.newContext({ acceptDownloads: true, locale });
    const page = await context.newPage();
    await page.goto(`${app.app.url}${path}`);
    await look(page);
    await context.close();
  }

  /** Downloads, and returns the verdict: the sentence, and each statement with its state. */
  async function readVerdict(page: Page) {
    const panel = page.locator('.checked').first();
    await page.locator('a[data-hash]').first().click();
    await panel.locator('.statement').nth(2).waitFor();
    const states = await panel
      .locator('.statement')
      .evaluateAll(all => all.map(one => [one.getAttribute('data-statement'), one.className.split(' ')[1]]));
    return {
      ...(Object.fromEntries(states) as Record<'HERE' | 'SERVER' | 'OTHERS', string>),
      headline: await panel.locator('.headline').textContent(),
      text: await panel.textContent(),
    };
  }

  test('an honest server: the verdict gives the time, its source, and no independent voucher', async () => {
    await visit(async page => {
      const verdict = await readVerdict(page);
      expect(verdict).toMatchObject({ HERE: 'HOLDS', SERVER: 'HOLDS', OTHERS: 'OPEN' });
      expect(verdict.headline).toMatch(/^Unchanged since it was recorded at \d{4}-.* UTC, on the word of the server/);
      expect(verdict.text).toMatch(/fingerprint sha256:[0-9a-f]{64}.*The proof is in force.*The ledger recorded it at/);
      await page.getByText('report.pdf is saved, and its SHA-256 is right. Unchanged since').waitFor();
      await expectAccessible(page);
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/verdict.png`, fullPage: true });
    });
    await visit(async page => expect((await readVerdict(page)).headline).toMatch(/未被改动/), undefined, 'zh-CN');
  });

  const json = async (route: Route, change: (data: Record<string, unknown>) => void) => {
    const response = await route.fetch();
    const answer = await response.json();
    change(answer.data ?? answer);
    await route.fulfill({ response, json: answer });
  };
  const flipped = (given: Buffer, at: number) => {
    const copy = Buffer.from(given);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  const fail = (route: Route) => route.fulfill({ status: 503 });

  type Lie = [what: string, panel: string, lie: (route: Route) => Promise<unknown>, expected: Record<string, string>];
  const lies: Lie[] = [
    [
      'the proof of another file',
      '**/proof',
      route => route.fulfill({ body: otherProof }),
      { HERE: 'CONTRADICTED', SERVER: 'OPEN' },
    ],
    [
      'a proof with one bit changed',
      '**/proof',
      async route => route.fulfill({ body: flipped(await (await route.fetch()).body(), 900) }),
      { HERE: 'DAMAGED', SERVER: 'OPEN' },
    ],
    [
      'a proof that is said to be revoked',
      '**/status',
      route => json(route, data => Object.assign(data, { status: 'REVOKED', statusVersion: 2 })),
      { HERE: 'HOLDS', SERVER: 'CONTRADICTED' },
    ],
    [
      'a status of other bytes',
      '**/status',
      route => json(route, data => Object.assign(data, { manifestSha256: `sha256:${'0'.repeat(64)}` })),
      { HERE: 'HOLDS', SERVER: 'CONTRADICTED' },
    ],
    ['no status', '**/status', fail, { HERE: 'HOLDS', SERVER: 'OPEN' }],
    ['no ledger', '**/ledger/**', fail, { HERE: 'HOLDS', SERVER: 'OPEN' }],
    [
      'a checkpoint that nobody signed',
      '**/ledger/checkpoint',
      route => route.fulfill({ body: 'x\n1\nAAAA\n\n' }),
      { HERE: 'HOLDS', SERVER: 'OPEN' },
    ],
    [
      'another root',
      '**/chain-roots/**',
      route => json(route, data => Object.assign(data, { merkleRoot: '0'.repeat(64) })),
      { HERE: 'HOLDS', SERVER: 'CONTRADICTED' },
    ],
    ['no key', '**/proof-keys/**', fail, { HERE: 'OPEN' }],
    [
      'a key of that name that signed in other years',
      '**/proof-keys/**',
      route =>
        json(route, data =>
          Object.assign(data, { usedFrom: '2001-01-01T00:00:00.000Z', usedUntil: '2002-01-01T00:00:00.000Z' }),
        ),
      { HERE: 'CONTRADICTED' },
    ],
  ];
  test.each(lies)('a server that sends %s is detected', async (_, panel, lie, expected) => {
    await visit(async page => {
      await page.route(panel, lie);
      const verdict = await readVerdict(page);
      expect(verdict).toMatchObject({ ...expected, OTHERS: 'OPEN' });
      expect(verdict.text).not.toContain('Unchanged');
    });
  });

  test('other bytes are not saved; when the page names their digest, the proof contradicts them', async () => {
    const wrong = flipped(bytes, 1000);
    await visit(async page => {
      await page.route('**/s/*/files/*', route => route.fulfill({ body: wrong }));
      await page.locator('a[data-hash]').click();
      await page.getByText('differ from the shared file. Nothing was saved.').waitFor();
      expect(await page.locator('.checked').textContent()).toBe('');
    });
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', wrong));
    await visit(async page => {
      await page.route('**/s/*/files/*', route => route.fulfill({ body: wrong }));
      await page.route(`**/s/${code}`, async route => {
        const response = await route.fetch();
        const text = (await response.text()).replace(
          /data-hash="[^"]*"/,
          `data-hash="sha256:${Buffer.from(digest).toString('hex')}"`,
        );
        await route.fulfill({ response, body: text });
      });
      await page.reload();
      expect(await readVerdict(page)).toMatchObject({ HERE: 'CONTRADICTED', SERVER: 'OPEN', OTHERS: 'OPEN' });
    });
  });

  test('without a proof, or with one that fails to load, the page states what was compared', async () => {
    const { shareCode } = await share(alice, report.fileHash);
    await visit(async page => {
      await page.route('**/proof', fail);
      await page.locator('a[data-hash]').click();
      await page
        .locator('.checked')
        .getByText('The server did not send the proof. Only the SHA-256 was compared')
        .waitFor();
    }, `/s/${shareCode}`);
  });

  test('a saved file is also checked with its proof', async () => {
    await visit(async page => {
      await page.getByLabel(/^Or choose a file/).setInputFiles({ name: 'mine.pdf', mimeType: '', buffer: bytes });
      await page.locator('.checked .statement.HOLDS').nth(1).waitFor();
      await page.getByText('mine.pdf is the shared file report.pdf, byte by byte.').waitFor();
    });
  });

  test('the key of the issuer can be saved, and the verifier page accepts it as the trusted key', async () => {
    await visit(async page => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Save the key' }).click(),
      ]);
      const key = await download.path();
      const proof = Buffer.from(
        await (await page.request.get(`${app.app.url}/s/${code}/files/${report.fileHash}/proof`)).body(),
      );
      const choose = async () => {
        await page.locator('#original').setInputFiles({ name: 'report.pdf', mimeType: '', buffer: bytes });
        await page.locator('#proof').setInputFiles({ name: 'proof.zip', mimeType: '', buffer: proof });
        await page.getByRole('button', { name: 'Verify' }).click();
        await page.locator('#verdict').waitFor();
        return page.locator('#result').textContent();
      };
      const asked: string[] = [];
      page.on('request', request => request.url().startsWith('http') && asked.push(new URL(request.url()).pathname));
      await page.goto(`${app.app.url}/verify`);
      expect(await choose()).toMatch(/INDETERMINATE.*The current status was not asked for/);
      expect(asked.filter(path => path !== '/verify')).toEqual([]);
      await page.getByRole('link', { name: 'Ask the issuer, too' }).click();
      await page.getByText('This page asks the issuer.').waitFor();
      expect(await choose()).toMatch(/^VALID.*On the ledger.*by the clock of the operator.*the issuer, asked online/);
      expect(asked.some(path => path.startsWith('/ledger/tile/'))).toBe(true);
      await page.locator('#trustedKey').setInputFiles(key);
      expect(await choose()).toMatch(/^VALID.*the trusted key that you gave or pinned/);
      await expectAccessible(page);
    });
  });

  test('a witness is named but not counted without a choice of the visitor', async () => {
    await using witnessed = await startWitnessedApp();
    const bob = await witnessed.app.person('bob');
    const { fileHash } = await storeProxied(bob, bytes, { name: 'report.pdf' });
    await witnessed.vouch(bob);
    const { shareCode } = await share(bob, fileHash);
    await visit(async page => {
      await page.goto(`${witnessed.app.app.url}/s/${shareCode}`);
      const verdict = await readVerdict(page);
      expect(verdict).toMatchObject({ HERE: 'HOLDS', SERVER: 'HOLDS', OTHERS: 'OPEN' });
      expect(verdict.text).toMatch(
        /witness one.example: It is there, but was not checked.*Whom to trust is your choice/,
      );
    });
  });

  test('a proof revoked by its owner is contradicted by the server', async () => {
    const { shareCode } = await share(alice, other.fileHash);
    await alice.call(revokeProof, { params: { id: other.fileId }, body: { reason: 'a mistake' } });
    await visit(async page => {
      expect(await readVerdict(page)).toMatchObject({ HERE: 'HOLDS', SERVER: 'CONTRADICTED' });
    }, `/s/${shareCode}`);
  });
});
