// Journey from a file to VALID in one step: missing options are completed, the key is pinned once, and no option is
// only for tests.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProveWorld, type ProveWorld } from '../support/prove-world.ts';

let world: ProveWorld;
const reportOf = (stdout: string) =>
  JSON.parse(stdout) as { outcome: string; reason?: string; summary: { keySource: string } };

beforeAll(async () => {
  world = await openProveWorld();
  await world.makeFile('report.bin', 50_000);
  expect((await world.cli('prove', 'report.bin')).code).toBe(0);
}, 120_000);
afterAll(() => world[Symbol.asyncDispose]());

test('without a pinned key, VALID relies on the requested address, and the report states that', async () => {
  const { code, stdout } = await world.cli('verify', 'report.bin', '--json');
  expect([code, reportOf(stdout).outcome, reportOf(stdout).summary.keySource]).toEqual([0, 'VALID', 'ISSUER']);
  const shown = (await world.cli('verify', 'report.bin')).stdout.replaceAll(/\s+/g, ' ');
  expect(shown).toContain('rests on the address that was asked');
  const required = await world.cli('verify', 'report.bin', '--require-trusted-key', '--json');
  expect([required.code, reportOf(required.stdout).reason]).toEqual([3, 'TRUSTED_KEY_MISSING']);
});

test('a pinned key is trusted, and a missing archive is fetched', async () => {
  const pinned = await world.cli('keys', 'pin');
  expect(pinned).toMatchObject({ code: 0, stdout: expect.stringMatching(/version 1 +sha256:[0-9a-f]{64}/) });
  await rm(join(world.folder, 'report.bin.proof.zip'));
  const { code, stdout, stderr } = await world.cli('verify', 'report.bin', '--json');
  expect([code, reportOf(stdout).outcome, reportOf(stdout).summary.keySource]).toEqual([0, 'VALID', 'TRUSTED_FILE']);
  expect(stderr).toContain('fetched report.bin.proof.zip');
  const offline = await world.cli('verify', 'report.bin', '--offline', '--json');
  expect([offline.code, reportOf(offline.stdout).reason]).toEqual([3, 'OFFLINE']);
});

test('the verifier program gives the same result with the server address, on loopback too', async () => {
  const { code, stdout } = await world.verify('report.bin', '--server', world.server, '--format=json');
  expect([code, reportOf(stdout).outcome]).toEqual([0, 'VALID']);
  expect(
    await world.verify('certificate', 'report.bin', '--server', world.server, '--out', 'report.html'),
  ).toMatchObject({
    code: 0,
    stdout: 'Result: VALID\nCertificate of verification: written.\n',
  });
  const page = await readFile(join(world.folder, 'report.html'), 'utf8');
  expect(page).toMatch(/The file “report.bin” existed in exactly this form on \d+ \w+ \d{4}/);
});

test('a changed key is rejected with a warning, and nothing is pinned', async () => {
  const path = join(world.folder, '.config', 'recordproof', 'pinned-keys.json');
  const pins = await readFile(path, 'utf8');
  const [pin] = JSON.parse(pins).pins;
  const other = { ...pin.keys[0], publicKeyFingerprint: `sha256:${'0'.repeat(64)}` };
  const changed = JSON.stringify({ pins: [{ ...pin, keys: [other] }] });
  await writeFile(path, changed);
  expect(await world.cli('keys', 'pin')).toMatchObject({
    code: 65,
    stderr: expect.stringContaining('THE KEY HAS CHANGED'),
  });
  const gone = JSON.stringify({ pins: [{ ...pin, keys: [{ ...pin.keys[0], keyId: 'another' }] }] });
  await writeFile(path, gone);
  expect(await world.cli('keys', 'pin')).toMatchObject({
    code: 65,
    stderr: expect.stringContaining('KEYS HAVE CHANGED'),
  });
  expect(await readFile(path, 'utf8')).toBe(gone);
  await writeFile(path, pins);
});

test('a new version is pinned beside the old one, and proofs of both are VALID', async () => {
  expect((await world.admin('keys', 'rotate-signing')).code).toBe(0);
  await world.makeFile('later.bin', 1000);
  expect((await world.cli('prove', 'later.bin')).code).toBe(0);
  const early = await world.cli('verify', 'later.bin', '--json');
  expect([early.code, reportOf(early.stdout).reason]).toEqual([3, 'TRUSTED_KEY_OTHER']);
  expect((await world.cli('keys', 'pin')).code).toBe(0);
  for (const name of ['report.bin', 'later.bin']) expect((await world.cli('verify', name)).code).toBe(0);
});

test('a mistyped path and a file that was never stored are reported', async () => {
  expect(await world.cli('verify', 'raport.bin')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('there is no file raport.bin'),
  });
  await world.makeFile('stranger.bin', 10);
  expect((await world.cli('verify', 'stranger.bin')).stderr).toContain(
    'no file with exactly the content of stranger.bin',
  );
});
