// Commands `ledger checkpoint`, `watch` and `verify` against rewritten, forked, backdated and withheld ledgers.
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseHex } from '@recordproof/shared/evidence/digest.ts';
import { isContradiction } from '@recordproof/shared/evidence/log-contradiction.ts';
import { parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { movableClock } from '../../../test/support/clock.ts';
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

test('the first checkpoint is stored, and the next one is checked for consistency with it', async () => {
  await grow(300);
  const first = await home.runHere(['ledger', 'checkpoint']);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout).toMatch(/^entries +301$/m);
  expect(first.stderr).toContain('first check');
  await grow(10);
  const next = await home.runHere(['ledger', 'checkpoint', '--json']);
  expect(JSON.parse(next.stdout)).toMatchObject({ size: 312, added: 11, name: 'test.example/log', server: site.url });
  expect((await home.runHere(['ledger', 'checkpoint'])).stderr).toContain('0 entries more');
});

test('a rewritten or shortened ledger is detected, and the stored checkpoint is kept', async () => {
  await grow(5);
  expect((await home.runHere(['ledger', 'watch', '--looks', '1'])).code).toBe(0); // an earlier name of --count
  const honest = site.shown;
  await using other = await openOwnLedger(site.key);
  site.shown = other.ledger;
  await grow(2, 70_000);
  for (const command of ['checkpoint', 'verify', 'watch']) {
    const back = await home.runHere(['ledger', command]);
    expect(back).toMatchObject({ code: 65, stdout: '' });
    expect(back.stderr).toContain('went back from 6 to 3 entries');
  }
  await grow(20, 80_000);
  const rewritten = await home.runHere(['ledger', 'checkpoint']);
  expect(rewritten).toMatchObject({ code: 65, stdout: '' });
  expect(rewritten.stderr).toContain('is not an extension of');
  const kept = /keep (\/.*\.6-24\.contradiction\.json)/.exec(rewritten.stderr)?.[1] ?? '';
  expect(await readProof(kept)).toEqual({ sizes: [6, 24], isProof: true, isShown: true });
  site.shown = honest;
  expect((await home.runHere(['ledger', 'checkpoint'])).code).toBe(0);
});

/** The file alone, as a recipient reads it. */
async function readProof(path: string) {
  const file = JSON.parse(await readFile(path, 'utf8')) as {
    key: string;
    older: string;
    newer: string;
    isProof: boolean;
    nodes: { level: number; index: number; hash: string }[];
  };
  const key = parseVerifierKey(file.key);
  const opened = (note: string) => openCheckpoint(Buffer.from(note), key, nodePlatform.verifyEd25519);
  const pair = [await opened(file.older), await opened(file.newer)] as const;
  const nodes = file.nodes.map(node => ({ ...node, hash: parseHex(node.hash) }));
  return { sizes: pair.map(({ size }) => size), isProof: file.isProof, isShown: isContradiction(pair, nodes) };
}

test('attack D: a watch that cannot read the ledger exits with 69', async () => {
  await grow(3);
  site.isDown = true;
  expect((await home.runHere(['ledger', 'watch', '--count', '1'])).code).toBe(69);
  site.isDown = false;
  expect((await home.runHere(['ledger', 'watch', '--count', '1'])).code).toBe(0);
  await grow(300);
  site.withholdsTiles = true;
  const withheld = await home.runHere(['ledger', 'watch', '--count', '1']);
  expect(withheld).toMatchObject({ code: 69, stdout: '' });
  expect(withheld.stderr).toContain('no checkpoint was checked');
  site.withholdsTiles = false;
});

test('attack E: two checkpoints of one size are a self-contained proof of a rewritten log', async () => {
  await grow(5);
  expect((await home.runHere(['ledger', 'watch', '--count', '1'])).code).toBe(0);
  await using other = await openOwnLedger(site.key);
  site.shown = other.ledger;
  await grow(5, 70_000);
  const forked = await home.runHere(['ledger', 'watch', '--count', '1']);
  expect(forked.code).toBe(65);
  const kept = /keep (\/.*\.6-6\.contradiction\.json)/.exec(forked.stderr)?.[1] ?? '';
  expect(await readProof(kept)).toEqual({ sizes: [6, 6], isProof: true, isShown: true });
});

test('a fork of a watched ledger is detected at another address, too', async () => {
  await grow(5);
  const watch = (url: string) => home.runHere(['ledger', 'watch', '--count', '1', '--server', url]);
  expect((await watch(site.url)).code).toBe(0);
  await using moved = await openLedgerSite();
  moved.shown = site.shown;
  expect((await watch(moved.url)).code).toBe(0);
  await using fork = await openOwnLedger(site.key);
  await using third = await openLedgerSite();
  third.shown = fork.ledger;
  await Promise.all(Array.from({ length: 7 }, (_, i) => fork.ledger.append(fileRecord(90_000 + i))));
  await fork.ledger.publish();
  const forked = await watch(third.url);
  expect(forked.code).toBe(65);
  expect(forked.stderr).toContain('it proves to any third party that the log was rewritten');
});

const keptBy = async (of: Home): Promise<string> => {
  const files = await readdir(of.path, { recursive: true });
  return join(of.path, files.find(name => name.endsWith('.checkpoints')) ?? 'none');
};

test('attack S5: two people with different histories detect it by comparing', async () => {
  await using friend = await openHome(site);
  await grow(5);
  expect((await friend.runHere(['ledger', 'checkpoint'])).code).toBe(0);
  const theirs = await keptBy(friend);
  const watched = await friend.runHere(['ledger', 'watch', '--count', '1']);
  expect(watched.stderr).toContain(theirs);
  await grow(3);
  const same = await home.runHere(['ledger', 'watch', '--compare', theirs, '--json']);
  expect(JSON.parse(same.stdout)).toMatchObject({ compared: 1, size: 10 });
  await using fork = await openOwnLedger(site.key);
  site.shown = fork.ledger;
  await using victim = await openHome(site);
  await grow(12, 80_000);
  expect((await victim.runHere(['ledger', 'checkpoint'])).code).toBe(0);
  const forked = await victim.runHere(['ledger', 'watch', '--compare', theirs]);
  expect(forked.code).toBe(65);
  expect(forked.stderr).toContain('proves to any third party');
});

test('every signed checkpoint that was read is stored, also a contradictory one', async () => {
  await grow(2);
  await home.runHere(['ledger', 'checkpoint']);
  await grow(2);
  await home.runHere(['ledger', 'checkpoint']);
  await home.runHere(['ledger', 'checkpoint']);
  await using other = await openOwnLedger(site.key);
  site.shown = other.ledger;
  await grow(9, 90_000);
  await home.runHere(['ledger', 'checkpoint']);
  const lines = (await readFile(await keptBy(home), 'utf8')).trim().split('\n');
  expect(lines.map(line => JSON.parse(line).note.split('\n')[1])).toEqual(['3', '6', '10']);
});

test('attack S2: watch and verify report an entry dated before an earlier one', async () => {
  const clock = movableClock();
  await using odd = await openOwnLedger(site.key, clock);
  site.shown = odd.ledger;
  await grow(3, 1000);
  expect((await home.runHere(['ledger', 'watch', '--count', '1'])).code).toBe(0);
  await grow(2, 2000);
  expect((await home.runHere(['ledger', 'watch', '--count', '1'])).code).toBe(0);
  await odd.ledger.db.updateTable('ledger_log').set({ recorded_until: 0 }).execute();
  clock.advance(-400 * 86_400_000);
  await grow(1, 3000);
  const back = await home.runHere(['ledger', 'watch', '--count', '1']);
  expect(back.code).toBe(65);
  expect(back.stderr).toContain('the times of the ledger go back: entry 7 states');
  expect((await home.runHere(['ledger', 'verify'])).code).toBe(65);
});

test('attack S2: an entry dated before the first stored checkpoint is detected', async () => {
  const clock = movableClock();
  await using odd = await openOwnLedger(site.key, clock);
  site.shown = odd.ledger;
  await grow(3, 1000);
  expect((await home.runHere(['ledger', 'watch', '--count', '1'])).code).toBe(0);
  await odd.ledger.db.updateTable('ledger_log').set({ recorded_until: 0 }).execute();
  clock.advance(-400 * 86_400_000);
  await grow(1, 3000);
  const back = await home.runHere(['ledger', 'watch', '--count', '1']);
  expect([back.code, back.stderr]).toEqual([
    65,
    expect.stringContaining('times of the ledger go back: entry 4 states'),
  ]);
});

test('attack D: a first watch with withheld tiles exits with 69', async () => {
  await grow(3);
  site.withholdsTiles = true;
  expect((await home.runHere(['ledger', 'watch', '--count', '1'])).code).toBe(69);
});

test('verify reports one proof issued twice with different manifests', async () => {
  const [one, other] = ['1', '2'].map(digit => `sha256:${digit.repeat(64)}`) as [string, string];
  await site.shown.append({ kind: 'PROOF_ISSUED', proofIdSha256: one, manifestSha256: one });
  await site.shown.append({ kind: 'PROOF_STATUS', proofIdSha256: one, status: 'REVOKED', statusVersion: 2 });
  await site.shown.publish();
  const sound = await home.runHere(['ledger', 'verify', '--json']);
  expect(JSON.parse(sound.stdout)).toMatchObject({
    unknown: 0,
    entriesByKind: { PROOF_ISSUED: 1, PROOF_STATUS: 1, FILE_RECORD: 0 },
  });
  await site.shown.append({ kind: 'PROOF_ISSUED', proofIdSha256: one, manifestSha256: other });
  await site.shown.publish();
  const { code, stderr } = await home.runHere(['ledger', 'verify']);
  expect([code, stderr]).toEqual([65, expect.stringContaining(`holds ${one} twice (PROOF_ISSUED)`)]);
});

test('a checkpoint signed by another key than the stored or given one is rejected', async () => {
  await grow(1);
  expect((await home.runHere(['ledger', 'checkpoint', '--key', site.shown.verifierKey])).code).toBe(0);
  await using other = await openOwnLedger(newLedgerKey());
  const otherKey = await home.runHere(['ledger', 'checkpoint', '--key', other.ledger.verifierKey]);
  expect(otherKey.code).toBe(65);
  site.shown = other.ledger;
  await grow(3);
  const swapped = await home.runHere(['ledger', 'checkpoint']);
  expect(swapped.code).toBe(65);
  expect(swapped.stderr).toContain('is not signed by');
  expect((await home.runHere(['ledger', 'checkpoint', '--key', 'nonsense'])).code).not.toBe(0);
});

test('verify reads every entry, and reports entries that do not match the checkpoint', async () => {
  await grow(600);
  const sound = await home.runHere(['ledger', 'verify', '--json']);
  expect(JSON.parse(sound.stdout)).toMatchObject({ size: 601, fileRecords: 600, batchRoots: 1, unknown: 0 });
  const bytes = Buffer.from((await site.shown.tiles.find('tile/entries/001')) ?? '');
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  site.lies.set('tile/entries/001', bytes);
  const broken = await home.runHere(['ledger', 'verify']);
  expect(broken).toMatchObject({ code: 65, stdout: '' });
  expect(broken.stderr).toContain('differs from that of the checkpoint');
  site.lies.clear();
});

test('a watch reports an unavailable server, and continues', { tags: 'long' }, async () => {
  await grow(1);
  site.isDown = true;
  const away = await home.runHere(['ledger', 'watch', '--count', '2', '--every', '1']);
  expect(away).toMatchObject({ code: 69, stdout: '' });
  expect(away.stderr.match(/answers 503/g)).toHaveLength(2);
  expect((await home.runHere(['ledger', 'checkpoint'])).code).toBe(69);
  site.isDown = false;
  const seen = await home.runHere(['ledger', 'watch', '--count', '2', '--every', '1']);
  expect(seen.stdout.trim().split('\n')).toHaveLength(1);
  expect(seen.stdout).toMatch(/^\d{4}-\S+Z {2}2 {2}[0-9a-f]{64}\n$/);
});

test('a watch continues while a proxy is away', async () => {
  const env = { HTTP_PROXY: 'http://127.0.0.1:9', RECORDPROOF_SERVER: 'http://ledger.example' };
  const { code, stderr } = await home.runHere(['ledger', 'watch', '--count', '2', '--every', '1'], { env });
  expect(code).toBe(69);
  expect(stderr.match(/the proxy 127\.0\.0\.1:9 cannot be reached/g)).toHaveLength(2);
});

test('a kept checkpoint that was not written to its end is cut off before the next one', async () => {
  await grow(1);
  const { kept } = JSON.parse((await home.runHere(['ledger', 'watch', '--count', '1', '--json'])).stdout) as {
    kept: string;
  };
  await appendFile(kept, `{"seenAt":"2026-01-15T12:00:00.000Z","note":"${'\\n'.repeat(250_000)}`);
  await grow(1);
  expect((await home.runHere(['ledger', 'watch', '--count', '1'])).code).toBe(0);
  expect(await home.runHere(['ledger', 'watch', '--compare', kept])).toMatchObject({ code: 0 });
});
