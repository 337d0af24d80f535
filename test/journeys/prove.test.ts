// From an empty folder to an archive that a stranger accepts: server and programs as people start them.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { login } from '@recordproof/shared/api/auth.ts';
import { openClient } from '@recordproof/shared/api/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkInPython } from '../support/real-proofs.ts';
import { programs, type ServerProcess, startServerProcess } from '../support/server-process.ts';

const launcher = fileURLToPath(new URL('../../cli/bin/recordproof.mjs', import.meta.url));
const verifier = fileURLToPath(new URL('../../verifier/bin/recordproof-verify.mjs', import.meta.url));
const password = 'correct horse battery';
const generous = ['UPLOAD', 'DOWNLOAD', 'OTHER', 'PUBLIC_PROOF'].map(name => [
  `RECORDPROOF_RATE_LIMIT_${name}`,
  '100000',
]);
const env = {
  RECORDPROOF_PROFILE: 'laptop',
  RECORDPROOF_ADMIN_USERNAME: 'root',
  RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
  RECORDPROOF_ADMIN_PASSWORD: password,
  ...Object.fromEntries(generous),
};

let folder: string;
let server: ServerProcess;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-prove-'));
  server = await startServerProcess({ folder: join(folder, 'data'), env });
  const client = openClient({ baseUrl: server.url });
  token = (await client.call(login, { body: { username: 'root', password } })).token;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

function run(program: string, args: readonly string[]): Promise<Ended> {
  const variables = { HOME: folder, RECORDPROOF_SERVER: server.url, RECORDPROOF_TOKEN: token };
  const options = { cwd: folder, env: { ...process.env, ...variables } };
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const cli = (...args: string[]): Promise<Ended> => run(launcher, args);
const trustedKey = async (): Promise<string> =>
  (await run(programs.installed, ['keys', 'trusted', '--data', join(folder, 'data')])).stdout;

async function makeFile(name: string, size: number): Promise<Buffer> {
  const bytes = randomBytes(size);
  await writeFile(join(folder, name), bytes);
  return bytes;
}

const readArchive = (name: string): Promise<Buffer> => readFile(join(folder, `${name}.proof.zip`));

test('prove writes an archive that the independent check and the verifier accept, within 15 seconds', async () => {
  const original = await makeFile('file.pdf', 3_000_000);
  const started = performance.now();
  const proved = await cli('prove', 'file.pdf', '--json');
  expect(proved).toMatchObject({ code: 0 });
  expect(performance.now() - started).toBeLessThan(15_000);
  const key = await trustedKey();
  checkInPython(original, await readArchive('file.pdf'), key);
  await writeFile(join(folder, 'key.json'), key);
  const offline = ['--file', 'file.pdf', '--proof', 'file.pdf.proof.zip', '--trusted-key', 'key.json'];
  expect((await run(verifier, offline)).code).toBe(3); // nobody was asked whether it is still in force
});

test('encrypted uploads, next versions, and uploads that do not wait get their archives too', async () => {
  const sealed = await makeFile('sealed.bin', 5000);
  const first = JSON.parse((await cli('prove', 'sealed.bin', '--proxied', '--json')).stdout).files[0];
  checkInPython(sealed, await readArchive('sealed.bin'), await trustedKey());
  const next = await makeFile('next.bin', 6000);
  expect((await cli('prove', 'next.bin', '--version-of', first.fileId)).code).toBe(0);
  checkInPython(next, await readArchive('next.bin'), await trustedKey());
  const status = JSON.parse((await cli('proofs', 'status', first.proof.proofId, '--json')).stdout);
  expect(status).toMatchObject({ status: 'SUPERSEDED', statusVersion: 2 });

  const later = await makeFile('later.bin', 700);
  const stored = JSON.parse((await cli('prove', 'later.bin', '--no-wait', '--json')).stdout).files[0];
  expect(stored).toMatchObject({ status: 'uploaded', proof: null });
  const exported = await cli('proofs', 'export', stored.fileHash, '--wait', '30', '-o', 'later.bin.proof.zip');
  expect(exported.code).toBe(0);
  checkInPython(later, await readArchive('later.bin'), await trustedKey());
  expect((await cli('proofs', 'export', stored.fileId, '-o', 'later.bin.proof.zip')).code).toBe(1); // it exists
  const before = await readArchive('later.bin');
  expect((await cli('proofs', 'export', stored.fileId, '-o', 'later.bin.proof.zip', '--force')).code).toBe(0);
  expect((await readArchive('later.bin')).equals(before)).toBe(true);
});

test('a proof is revoked once, and an archive that was issued before a new key still verifies', async () => {
  const original = await makeFile('old.bin', 100);
  const proved = JSON.parse((await cli('prove', 'old.bin', '--json')).stdout).files[0];
  const oldKey = await trustedKey();
  const server2 = ['keys', 'rotate-signing', '--data', join(folder, 'data')];
  expect((await run(programs.installed, server2)).code).toBe(0);
  const renewed = await makeFile('new.bin', 100);
  expect((await cli('prove', 'new.bin')).code).toBe(0);
  expect(JSON.parse(await trustedKey()).keyVersion).toBe(2);
  checkInPython(renewed, await readArchive('new.bin'), await trustedKey());
  checkInPython(original, await readArchive('old.bin'), oldKey);
  for (const version of [1, 2]) {
    const { mode } = await stat(join(folder, 'data', 'keys', `proof-signing-${version}.pem`));
    expect(mode & 0o777).toBe(0o600);
  }
  const revoke = () => cli('proofs', 'revoke', proved.fileHash, '--reason', 'test', '--yes', '--json');
  const once = await revoke();
  expect(JSON.parse(once.stdout)).toMatchObject({ status: 'REVOKED', statusVersion: 2, keyVersion: 1 });
  expect((await revoke()).stdout).toBe(once.stdout);
});

test('administrators see the backlog and force a run', async () => {
  const status = JSON.parse((await cli('admin', 'attestation', 'status', '--json')).stdout);
  expect(status).toMatchObject({ enabled: true, minBatchSize: 1, maxWaitSeconds: 5, readyCandidates: 0 });
  expect(JSON.parse((await cli('admin', 'attestation', 'trigger', '--json')).stdout)).toMatchObject({ force: true });
});
