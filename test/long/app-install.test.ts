// Journeys of the installed app: it opens without a network, caches only its own files, accepts files shared by other
// apps once its user agrees, and has large enough touch targets on every screen of a phone.
import { listFiles } from '@recordproof/shared/api/files.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openAppPage, phone, signIn } from '../support/app-page.ts';
import { chromiumPath, launchChromium, noChromium } from '../support/chromium.ts';
import { findSmallTargets } from '../support/touch-targets.ts';
import { sendFile } from '../support/uploads.ts';

describe.skipIf(chromiumPath === undefined)(chromiumPath ? 'the installed app' : noChromium, () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp();
    url = app.app.url;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  const listKept = (page: Page) =>
    page.evaluate(async () => {
      const kept: string[] = [];
      for (const name of await caches.keys())
        for (const { url: address } of await (await caches.open(name)).keys()) kept.push(new URL(address).pathname);
      return kept;
    });

  /** Shares a file as the system does on behalf of another app. */
  const shareInto = (page: Page, name: string, text: string) =>
    page.evaluate(
      async ([fileName = '', content = '']) => {
        const form = new FormData();
        form.append('files', new File([content], fileName, { type: 'text/plain' }));
        await fetch('/app/share', { method: 'POST', body: form, redirect: 'manual' });
      },
      [name, text],
    );

  test('the installed app opens offline, caches only its files, and uploads shared files once confirmed', async () => {
    const ada = await app.person('ada');
    await sendFile(ada, Buffer.from('hers'), 'private.txt');
    const { page, complaints } = await openAppPage(browser, url, { serviceWorkers: 'allow' });
    const manifest = await (await fetch(`${url}/app/assets/app.webmanifest`)).json();
    expect(manifest).toMatchObject({ start_url: '/app', scope: '/app', display: 'standalone' });
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await page.reload();
    await signIn(page, 'ada');
    await page.getByText('private.txt').waitFor();
    const kept = await listKept(page);
    expect(kept).toContain('/app');
    expect(kept.filter(path => path !== '/app' && !/^\/app\/assets\/[\w.-]+\.js$/.test(path))).toEqual([]);

    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'The server does not answer' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('private.txt').waitFor();

    await shareInto(page, 'unwanted.txt', 'of nobody');
    await page.goto(`${url}/app#/files?shared=1`);
    await page.getByRole('dialog').getByText('unwanted.txt').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => listKept(page)).not.toContain('/app/share/0');
    await shareInto(page, 'from elsewhere.txt', 'shared');
    await page.goto(`${url}/app#/files?shared=1&again=1`);
    await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('region', { name: 'Transfers' }).getByText('Done', { exact: true }).waitFor();
    const { records } = await ada.call(listFiles, { query: { sort: 'fileName,asc' } });
    expect(records.map(({ fileName }) => fileName)).toEqual(['from elsewhere.txt', 'private.txt']);

    await shareInto(page, 'left behind.txt', 'before signing out');
    expect(await listKept(page)).toContain('/app/share/0');
    await page.goto(`${url}/app#/account`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('Password', { exact: true }).waitFor();
    await expect.poll(() => listKept(page)).not.toContain('/app/share/0');
    expect(complaints).toEqual([]);
  });

  test('the icons are PNG in the sizes that phones require, and maskable icons fill their corners', async () => {
    const { page, complaints } = await openAppPage(browser, url);
    const { icons } = (await (await fetch(`${url}/app/assets/app.webmanifest`)).json()) as {
      icons: { src: string; sizes: string; type: string; purpose: string }[];
    };
    const draw = (src: string) =>
      page.evaluate(async address => {
        const image = new Image();
        image.src = address;
        await image.decode();
        const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        const context = canvas.getContext('2d');
        context?.drawImage(image, 0, 0);
        const at = (x: number, y: number) => [
          ...(context?.getImageData(x * canvas.width, y * canvas.height, 1, 1).data ?? []),
        ];
        // A corner, the page above the mark, and the mark.
        return {
          size: `${canvas.width}x${canvas.height}`,
          corner: at(0, 0)[3],
          page: at(0.4, 0.3),
          mark: at(0.47, 0.64),
        };
      }, src);
    const [blue, white] = [
      [11, 92, 138, 255],
      [255, 255, 255, 255],
    ];
    const drawn = { page: white, mark: blue };
    for (const { src, sizes: size, purpose } of icons.filter(({ type }) => type === 'image/png'))
      expect(await draw(src)).toEqual({ size, corner: purpose === 'maskable' ? 255 : 0, ...drawn });
    expect(icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
      'any any',
      '192x192 any',
      '512x512 any',
      '512x512 maskable',
    ]);
    const apple = (await page.locator('link[rel=apple-touch-icon]').getAttribute('href')) ?? '';
    expect(await draw(apple)).toEqual({ size: '180x180', corner: 255, ...drawn });
    expect(complaints).toEqual([]);
  });

  test('every touch target on a phone is at least 44 by 44 pixels', async () => {
    const max = await app.person('max', { role: 'admin' });
    await sendFile(max, Buffer.from('in a folder'), 'deep.txt', { path: 'box' });
    await sendFile(max, Buffer.from('at the top'), 'top.txt');
    const { page } = await openAppPage(browser, url, { viewport: phone });
    await signIn(page, 'max');
    await page.getByText('top.txt').waitFor();
    const small: Record<string, string[]> = {};
    const readAsset = async (name: string) => {
      const found = await page.evaluate(findSmallTargets);
      if (found.length > 0) small[name] = found;
    };
    const screens = [
      'files',
      'transfers',
      'shares',
      'messages',
      'friends',
      'announcements',
      'tickets',
      'verify',
      'account',
    ];
    for (const screen of [...screens, 'files?folder=box', 'shares/received', 'share', 'files/trash']) {
      await page.goto(`${url}/app#/${screen}`);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      await readAsset(screen);
    }
    await page.goto(`${url}/app#/files`);
    await page.getByText('top.txt').click();
    await page.getByRole('complementary').getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Create the link' }).waitFor();
    await readAsset('share dialog');
    expect(small).toEqual({});
  });
});
