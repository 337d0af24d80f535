// The app in Chromium, against the server as people start it: how soon it shows something, and files on a slow line, how a
// list of 100,000 files scrolls, what that takes of memory, how soon a search answers, and how fast a large file and a folder
// of small ones go up, against the command line with the same file in turns, and when 1,000 photos have their thumbnails.
// Run: node test/bench/app.ts [files] [MiB] [rounds]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { goTo, openAppPage, signIn } from '../support/app-page.ts';
import { canMeasure, inTurns, printFigures } from '../support/bench-figures.ts';
import { type BenchServer, startBenchServer } from '../support/bench-server.ts';
import { pattern } from '../support/bytes.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';
import { residentOf } from '../support/large-proof.ts';
import { filesOf, usageOf } from '../support/many-rows.ts';
import { drawPhoto } from '../support/media.ts';

const [files = 100_000, mebibytes = 256, rounds = 3] = process.argv.slice(2).map(Number);
const MiB = 1024 * 1024;
const scrollMs = 5000;
const smallFiles = 2000;
const photos = 1000;
const longestUploadMs = 600_000;
const password = 'correct horse battery';
const launcher = fileURLToPath(new URL('../../cli/bin/recordproof.mjs', import.meta.url));

function openDatabase(folder: string): DatabaseSync {
  const name = readdirSync(folder).find(one => /\.(db|sqlite)$/.test(one));
  return new DatabaseSync(join(folder, name ?? ''), { enableForeignKeyConstraints: false });
}

function countThumbnails(): number {
  using database = openDatabase(data);
  return Number(database.prepare('select count(*) as count from thumbnail').get()?.count);
}

/** Rows as after years of use; the benchmark reads no bytes of them. */
function fill(folder: string): void {
  using database = openDatabase(folder);
  const alice = database.prepare(`select id, tenant_id from account where username = 'alice'`).get();
  const owner = { tenantId: Number(alice?.tenant_id), ownerId: Number(alice?.id) };
  const rows = [filesOf('sqlite', owner, { above: 0, upTo: files }), ...usageOf(owner, files)];
  for (const statement of ['pragma busy_timeout = 10000', 'begin immediate', ...rows, 'commit', 'analyze'])
    database.exec(statement);
}

/** Time from requesting the page with an empty cache to the first paint. */
async function firstContent(browser: Browser, url: string): Promise<number> {
  const { page } = await openAppPage(browser, url);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const seen = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  const at = await page.evaluate(seen);
  await page.context().close();
  return at;
}

const slowLine = { offline: false, latency: 400, downloadThroughput: 125_000, uploadThroughput: 125_000 };

/** With a kept session and nothing in the cache, at 1 Mbit/s and 400 ms, until the first files are shown. */
async function measureFirstRows(browser: Browser, url: string): Promise<void> {
  const { page: first } = await openAppPage(browser, url);
  await signIn(first, 'alice', password);
  await first.getByText('of day').first().waitFor();
  const storageState = await first.context().storageState();
  await first.context().close();
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext({ storageState, serviceWorkers: 'block' });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', slowLine);
    await page.goto(`${url}/app`, { waitUntil: 'commit' });
    const shown = await page.waitForFunction(() => document.querySelector('.row .name') && performance.now());
    samples.push(Number(await shown.jsonValue()));
    await context.close();
  }
  printFigures('first files at 1 Mbit/s and 400 ms', [
    { name: 'kept session, cold cache', unit: 'ms', samples, note: '(<= 3000)' },
  ]);
}

type Traced = { readonly traceEvents: readonly { readonly name: string }[] };

/** Processor time of the renderer's main thread so far: it does not depend on other work of the machine. */
async function openThreadTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
}

type Scrolled = { readonly framesPerSecond: number; readonly msPerFrame: number };

/** Frames drawn per second of steady scrolling, from the browser's own trace, and the cost of one. */
async function scroll(browser: Browser, page: Page): Promise<Scrolled> {
  const threadTime = await openThreadTime(page);
  const before = await threadTime();
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline.frame'] });
  const took = await page.evaluate(async milliseconds => {
    const viewport = document.querySelector('.viewport');
    if (!viewport) throw new Error('there is no list');
    const from = performance.now();
    let now = from;
    while (now - from < milliseconds) {
      viewport.scrollTop += 90;
      now = await new Promise<number>(requestAnimationFrame);
    }
    return now - from;
  }, scrollMs);
  const { traceEvents }: Traced = JSON.parse((await browser.stopTracing()).toString());
  const spent = (await threadTime()) - before;
  const frames = traceEvents.filter(({ name }) => name === 'DrawFrame').length;
  return { framesPerSecond: frames / (took / 1000), msPerFrame: spent / frames };
}

/** Memory of the largest renderer process. */
async function rendererMiB(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentOf(id));
  return Math.max(...sizes);
}

/** Time from the query to its answer, and from the last letter typed to the results on the screen. */
async function searchMs(page: Page, word: string): Promise<{ asked: number; typed: number }> {
  const field = page.getByLabel('Search files');
  await field.fill('');
  await page.getByText(`${files.toLocaleString('en-GB')} files`, { exact: true }).waitFor();
  await field.pressSequentially(word.slice(0, -1), { delay: 60 });
  const answered = page.waitForResponse(one => new URL(one.url()).searchParams.get('keyword') === word);
  const started = performance.now();
  await field.press(word.slice(-1));
  await answered;
  await page.waitForFunction(
    wanted => [...document.querySelectorAll('.row .name')].every(row => row.textContent?.includes(wanted)),
    word,
  );
  const typed = performance.now() - started;
  const asked = await page.evaluate(wanted => {
    const isIt = ({ name }: PerformanceEntry) => new URL(name).searchParams.get('keyword') === wanted;
    return performance.getEntriesByType('resource').findLast(isIt)?.duration ?? Number.NaN;
  }, word);
  return { asked, typed };
}

async function uploadInBrowser(page: Page, paths: string | string[]): Promise<number> {
  await goTo(page, 'Files');
  const started = performance.now();
  await page.getByLabel('Upload files').setInputFiles(paths);
  const readEnd = () => document.querySelector('.tray-bar :is(.chip.good, .problem)')?.textContent?.trim();
  // Sampled on a timer: requestAnimationFrame would make the browser draw all the time.
  const ended = await page.waitForFunction(readEnd, undefined, { timeout: longestUploadMs, polling: 20 });
  const took = performance.now() - started;
  const text = await ended.jsonValue();
  if (text !== 'Done') throw new Error(`an upload failed: ${text}`);
  await page.getByRole('button', { name: 'Hide these transfers' }).click();
  return took;
}

async function uploadByCli(home: string, { server, alice }: BenchServer, path: string): Promise<number> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    RECORDPROOF_SERVER: server.url,
    RECORDPROOF_TOKEN: alice.token,
  };
  const started = performance.now();
  const child = spawn(process.execPath, [launcher, 'upload', '--direct', path], { env, cwd: home, stdio: 'ignore' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the command line ended with ${code}`);
  return performance.now() - started;
}

/** A file of its own for each round: stored content might be faster. */
async function freshFile(folder: string, name: string, bytes: number, seed: number): Promise<string> {
  const path = join(folder, `${name}-${seed}.bin`);
  writeFileSync(path, await pattern(bytes, seed));
  return path;
}

async function measureList(browser: Browser, url: string): Promise<void> {
  const { page } = await openAppPage(browser, url);
  await signIn(page, 'alice', password);
  await page.getByText('of day').first().waitFor();
  const { framesPerSecond, msPerFrame } = await scroll(browser, page);
  const memory = await rendererMiB(browser);
  const searches = [];
  for (const word of ['day 77', 'letter of day', '4242']) searches.push(await searchMs(page, word));
  printFigures(`list of ${files} files`, [
    { name: 'scrolling', unit: 'frames/s', samples: framesPerSecond, note: '(>= 50)' },
    { name: "a frame, of the page's thread", unit: 'ms', samples: msPerFrame },
    { name: 'renderer, resident', unit: 'MiB', samples: memory, note: '(< 300)' },
    { name: 'search, asked until answered', unit: 'ms', samples: searches.map(one => one.asked), note: '(< 100)' },
    { name: 'search, last letter until shown', unit: 'ms', samples: searches.map(one => one.typed) },
  ]);
  await page.context().close();
}

async function measureUploads(browser: Browser, bench: BenchServer, folder: string): Promise<void> {
  const { page } = await openAppPage(browser, bench.server.url);
  await signIn(page, 'alice', password);
  let seed = 1;
  const next = (name: string) => freshFile(folder, name, mebibytes * MiB, seed++);
  const times = await inTurns(rounds, {
    browser: async () => uploadInBrowser(page, await next('browser')),
    cli: async () => uploadByCli(folder, bench, await next('cli')),
  });
  const toRates = (all: readonly number[]) => all.map(ms => (mebibytes * 1000) / ms);
  const small = join(folder, 'small');
  mkdirSync(small);
  const paths: string[] = [];
  for (let at = 0; at < smallFiles; at += 1) paths.push(await freshFile(small, 'note', 4096, 1000 + at));
  const together = await uploadInBrowser(page, paths);
  const references = { 'command line': toRates(times.cli) };
  const browserRates = toRates(times.browser);
  printFigures('uploads in the browser', [
    { name: `direct, ${mebibytes} MiB`, unit: 'MiB/s', samples: browserRates, references, note: '(>= 0.8)' },
    { name: `${smallFiles} files of 4 KiB`, unit: 's', samples: together / 1000 },
  ]);
  await page.context().close();
}

/** Photos of the same pixels, each with other bytes behind them. */
async function writePhotos(page: Page, folder: string): Promise<string[]> {
  const photo = await drawPhoto(page, 800, 600);
  return Array.from({ length: photos }, (_, at) => {
    const path = join(folder, `photo-${at}.jpg`);
    writeFileSync(path, Buffer.concat([photo, Buffer.from(`${at}`)]));
    return path;
  });
}

/** Until the thumbnails of all uploaded photos are stored; then with an empty cache, until the visible rows show theirs. */
async function measureThumbnails(browser: Browser, { server }: BenchServer, folder: string): Promise<void> {
  const { page } = await openAppPage(browser, server.url);
  const paths = await writePhotos(page, folder);
  await signIn(page, 'alice', password);
  const started = performance.now();
  const uploaded = await uploadInBrowser(page, paths);
  const countShown = () => document.querySelectorAll('.row .file-icon img').length;
  while (countThumbnails() < photos) await setTimeout(50);
  const stored = performance.now() - started;
  const requests: string[] = [];
  page.on('request', request => requests.push(request.url()));
  await page.reload({ waitUntil: 'commit' });
  const from = performance.now();
  await page.waitForFunction(() => {
    const rows = document.querySelectorAll('.row .file-icon');
    return rows.length > 0 && [...rows].every(row => row.querySelector('img')?.complete);
  });
  const shown = performance.now() - from;
  printFigures(`${photos} photos of 800 by 600`, [
    { name: 'uploads', unit: 's', samples: uploaded / 1000 },
    { name: 'thumbnails stored, from the first upload', unit: 's', samples: stored / 1000 },
    { name: `page with ${await page.evaluate(countShown)} thumbnails`, unit: 'ms', samples: shown },
    { name: 'requests for them', unit: '', samples: requests.filter(one => one.includes('/thumbnails/read')).length },
  ]);
  await page.context().close();
}

if (!canMeasure('the app', chromiumPath ?? 'chromium')) process.exit();
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const data = join(folder, 'data');
const browser = await launchChromium();
try {
  const bench = await startBenchServer(data);
  await using _server = bench.server;
  const paints: number[] = [];
  for (let round = 0; round <= rounds; round += 1) paints.push(await firstContent(browser, bench.server.url));
  printFigures('first content', [
    { name: 'first visit of all', unit: 'ms', samples: paints.slice(0, 1), note: '(<= 1000)' },
    { name: 'cold cache', unit: 'ms', samples: paints.slice(1), note: '(<= 1000)' },
  ]);
  fill(data);
  await measureFirstRows(browser, bench.server.url);
  await measureList(browser, bench.server.url);
  await measureUploads(browser, bench, folder);
  await measureThumbnails(browser, bench, folder);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
