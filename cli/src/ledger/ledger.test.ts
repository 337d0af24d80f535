import { readFile } from 'node:fs/promises';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LedgerSite, openLedgerSite, openOwnLedger } from '../../../test/support/ledger-site.ts';
import { batchRoot, fileRecord, newLedgerKey } from '../../../test/support/ledgers.ts';
import { type Home, openHome } from '../testing.ts';

let site: LedgerSite;
let home: Home;

beforeEach(async () => {
  site = await openLedgerSite();
  home = await openHome(site);
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function grow(count: number, first = site.asked.length * 1000): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => site.shown.append(fileRecord(first + i))));
  await site.shown.append(batchRoot(first));
  await site.shown.publish();
}

test('the first look is remembered, and the next one proves that it continues', async () => {
  await grow(300);
  const first = await home.run(['ledger', 'checkpoint']);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout).toMatch(/^entries +301$/m);
  expect(first.stderr).toContain('first look');
  await grow(10);
  const next = await home.run(['ledger', 'checkpoint', '--json']);
  expect(JSON.parse(next.stdout)).toMatchObject({ size: 312, added: 11, name: 'test.example/log', server: site.url });
  expect((await home.run(['ledger', 'checkpoint'])).stderr).toContain('0 entries more');
});

test('a ledger that was rewritten, or went back, is noticed, and what was remembered stays', async () => {
  await grow(5);
  expect((await home.run(['ledger', 'watch', '--looks', '1'])).code).toBe(0);
  const honest = site.shown;
  await using other = await openOwnLedger(site.key);
  site.shown = other.ledger;
  await grow(2, 70_000);
  for (const command of ['checkpoint', 'verify', 'watch']) {
    const back = await home.run(['ledger', command]);
    expect(back).toMatchObject({ code: 65, stdout: '' });
    expect(back.stderr).toContain('went back from 6 to 3 entries');
  }
  await grow(20, 80_000);
  const rewritten = await home.run(['ledger', 'checkpoint']);
  expect(rewritten).toMatchObject({ code: 65, stdout: '' });
  expect(rewritten.stderr).toContain('does not continue');
  const kept = /keep (\/.*\.6-24\.contradiction\.json)/.exec(rewritten.stderr)?.[1] ?? '';
  const { remembered, shown } = JSON.parse(await readFile(kept, 'utf8')) as { remembered: string; shown: string };
  const key = { name: site.shown.key.name, publicKey: site.shown.key.publicKey };
  const opened = await Promise.all(
    [remembered, shown].map(note => openCheckpoint(Buffer.from(note), key, nodePlatform.verifyEd25519)),
  );
  expect(opened.map(({ size }) => size)).toEqual([6, 24]);
  site.shown = honest;
  expect((await home.run(['ledger', 'checkpoint'])).code).toBe(0);
});

test('another key is refused, whether it was seen or given', async () => {
  await grow(1);
  expect((await home.run(['ledger', 'checkpoint', '--key', site.shown.verifierKey])).code).toBe(0);
  await using other = await openOwnLedger(newLedgerKey());
  const otherKey = await home.run(['ledger', 'checkpoint', '--key', other.ledger.verifierKey]);
  expect(otherKey.code).toBe(65);
  site.shown = other.ledger;
  await grow(3);
  const swapped = await home.run(['ledger', 'checkpoint']);
  expect(swapped.code).toBe(65);
  expect(swapped.stderr).toContain('is not signed by');
  expect((await home.run(['ledger', 'checkpoint', '--key', 'nonsense'])).code).not.toBe(0);
});

test('verify reads every entry, and an entry that is not under the checkpoint is an error', async () => {
  await grow(600);
  const sound = await home.run(['ledger', 'verify', '--json']);
  expect(JSON.parse(sound.stdout)).toMatchObject({ size: 601, fileRecords: 600, batchRoots: 1, unknown: 0 });
  const bytes = Buffer.from((await site.shown.tiles.find('tile/entries/001')) ?? '');
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  site.lies.set('tile/entries/001', bytes);
  const broken = await home.run(['ledger', 'verify']);
  expect(broken).toMatchObject({ code: 65, stdout: '' });
  expect(broken.stderr).toContain('do not have the root');
  site.lies.clear();
});

test('a watch says that the server is away, and goes on', async () => {
  await grow(1);
  site.isDown = true;
  const away = await home.run(['ledger', 'watch', '--looks', '2', '--every', '1']);
  expect(away).toMatchObject({ code: 0, stdout: '' });
  expect(away.stderr.match(/answers 503/g)).toHaveLength(2);
  expect((await home.run(['ledger', 'checkpoint'])).code).toBe(69);
  site.isDown = false;
  const seen = await home.run(['ledger', 'watch', '--looks', '2', '--every', '1']);
  expect(seen.stdout.trim().split('\n')).toHaveLength(1);
  expect(seen.stdout).toMatch(/^\d{4}-\S+Z {2}2 {2}[0-9a-f]{64}\n$/);
});
