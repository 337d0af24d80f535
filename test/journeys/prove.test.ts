// Journey from an empty folder to an archive that a verifier accepts: server and programs as people start them.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { testWith } from '../support/programs.ts';
import { openProveWorld, type ProveWorld } from '../support/prove-world.ts';
import { checkInPython } from '../support/real-proofs.ts';

const test = testWith('python3');

let world: ProveWorld;

beforeAll(async () => {
  world = await openProveWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const trustedKey = async (): Promise<string> => (await world.admin('keys', 'trusted')).stdout;

test('prove writes an archive that the independent check and the verifier accept', async () => {
  const original = await world.makeFile('file.pdf', 3_000_000);
  const proved = await world.cli('prove', 'file.pdf', '--json');
  expect(proved).toMatchObject({ code: 0 });
  const key = await trustedKey();
  checkInPython(original, await world.readArchive('file.pdf'), key);
  await writeFile(join(world.folder, 'key.json'), key);
  const offline = ['--file', 'file.pdf', '--proof', 'file.pdf.proof.zip', '--trusted-key', 'key.json'];
  expect((await world.verify(...offline)).code).toBe(3); // offline: the status was not queried
});

test('encrypted uploads, next versions, and uploads without waiting also get their archives', {
  tags: 'long',
}, async () => {
  const sealed = await world.makeFile('sealed.bin', 5000);
  const first = JSON.parse((await world.cli('prove', 'sealed.bin', '--proxied', '--json')).stdout).files[0];
  checkInPython(sealed, await world.readArchive('sealed.bin'), await trustedKey());
  const next = await world.makeFile('next.bin', 6000);
  expect((await world.cli('prove', 'next.bin', '--version-of', first.fileId)).code).toBe(0);
  checkInPython(next, await world.readArchive('next.bin'), await trustedKey());
  const status = JSON.parse((await world.cli('proofs', 'status', first.proof.proofId, '--json')).stdout);
  expect(status).toMatchObject({ status: 'SUPERSEDED', statusVersion: 2 });

  const later = await world.makeFile('later.bin', 700);
  const stored = JSON.parse((await world.cli('prove', 'later.bin', '--no-wait', '--json')).stdout).files[0];
  expect(stored).toMatchObject({ status: 'uploaded', proof: null });
  const exported = await world.cli('proofs', 'export', stored.fileHash, '--wait', '30', '-o', 'later.bin.proof.zip');
  expect(exported.code).toBe(0);
  checkInPython(later, await world.readArchive('later.bin'), await trustedKey());
  expect((await world.cli('proofs', 'export', stored.fileId, '-o', 'later.bin.proof.zip')).code).toBe(1); // the file exists
  const before = await world.readArchive('later.bin');
  expect((await world.cli('proofs', 'export', stored.fileId, '-o', 'later.bin.proof.zip', '--force')).code).toBe(0);
  expect((await world.readArchive('later.bin')).equals(before)).toBe(true);
});

test('a proof is revoked once, and an archive issued before a new key still verifies', { tags: 'long' }, async () => {
  const original = await world.makeFile('old.bin', 100);
  const proved = JSON.parse((await world.cli('prove', 'old.bin', '--json')).stdout).files[0];
  const oldKey = await trustedKey();
  expect((await world.admin('keys', 'rotate-signing')).code).toBe(0);
  const renewed = await world.makeFile('new.bin', 100);
  expect((await world.cli('prove', 'new.bin')).code).toBe(0);
  expect(JSON.parse(await trustedKey()).keyVersion).toBe(2);
  checkInPython(renewed, await world.readArchive('new.bin'), await trustedKey());
  checkInPython(original, await world.readArchive('old.bin'), oldKey);
  for (const version of [1, 2]) {
    const { mode } = await stat(join(world.folder, 'data', 'keys', `proof-signing-${version}.pem`));
    expect(mode & 0o777).toBe(0o600);
  }
  const revoke = () => world.cli('proofs', 'revoke', proved.fileHash, '--reason', 'test', '--yes', '--json');
  const once = await revoke();
  expect(JSON.parse(once.stdout)).toMatchObject({ status: 'REVOKED', statusVersion: 2, keyVersion: 1 });
  expect((await revoke()).stdout).toBe(once.stdout);
});

test('administrators see the backlog and start a run', { tags: 'long' }, async () => {
  const status = JSON.parse((await world.cli('admin', 'attestation', 'status', '--json')).stdout);
  expect(status).toMatchObject({ enabled: true, minBatchSize: 1, maxWaitSeconds: 5, readyCandidates: 0 });
  expect(JSON.parse((await world.cli('admin', 'attestation', 'trigger', '--json')).stdout)).toMatchObject({
    force: true,
  });
});

test('with proofs turned off, prove stores the file and names the setting and who can change it', {
  tags: 'long',
}, async () => {
  await using off = await openProveWorld({ ATTESTATION_PRODUCTION_ENABLED: 'false' });
  await off.makeFile('file.pdf', 100);
  const { code, stderr } = await off.cli('prove', 'file.pdf');
  expect(code).toBe(1);
  expect(stderr).toContain('attestation.production.enabled is off');
  expect(stderr).toContain('ATTESTATION_PRODUCTION_ENABLED=true, or --profile laptop');
  expect(stderr).not.toContain('later:');
});
