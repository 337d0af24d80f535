// Journey from an empty folder to VALID online: an account is registered and uploads with the program, and a verifier
// with nothing but file, archive and the issuer's address checks them over HTTPS, with the issuer's gateway and a
// third-party one. The verifier runs in a network namespace of its own, where the issuer has a public address; see
// support/public-internet.ts.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once as onlyOnce } from '@recordproof/shared/once.ts';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/src/config/config.ts';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import { inParallel } from '../../server/src/platform/in-parallel.ts';
import { Person } from '../support/app.ts';
import { checkEverything } from '../support/check-everything.ts';
import { stopChild } from '../support/child-process.ts';
import { installed, type ProgramLine } from '../support/installed.ts';
import { whyNotWith } from '../support/programs.ts';
import {
  type Ended,
  openPublicInternet,
  type PublicInternet,
  whyNoPublicInternet,
} from '../support/public-internet.ts';
import { checkInPython } from '../support/real-proofs.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { completeDirect, cut, putSigned, startDirect } from '../support/uploads.ts';

const password = 'correct horse battery';
const chunks = Number(process.env.CHUNKS ?? 100); // 10,000 is the largest number
const issuer = 'proofs.example.org';
const auditor = 'gateway.example.net';
const path = '{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}';
const gateways = {
  issuer: `https://${issuer}/api/v1/public/chain-roots/${path}`,
  auditor: `https://${auditor}/chain-roots/${path}`,
};
const env = {
  RECORDPROOF_PROFILE: 'laptop',
  RECORDPROOF_MAIL_CODE_INTERVAL_SECONDS: '0',
  ...Object.fromEntries(
    ['UPLOAD', 'DOWNLOAD', 'CHUNK', 'OTHER', 'PUBLIC_PROOF'].map(name => [`RECORDPROOF_RATE_LIMIT_${name}`, '100000']),
  ),
};

let folder: string;
let server: ServerProcess;
let gateway: ChildProcess;
let internet: PublicInternet;
const whyNot = whyNoPublicInternet() ?? whyNotWith('openssl', 'python3');

function run(program: ProgramLine, args: readonly string[], input = ''): Promise<Ended> {
  const options = { cwd: folder, env: { ...process.env, HOME: folder, RECORDPROOF_SERVER: server.url } };
  return new Promise(resolve => {
    const child = execFile(program.file, [...program.args, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

const cli = (...args: string[]): Promise<Ended> => run(installed.cli, args);

async function startGateway(): Promise<string> {
  const key = await (await fetch(`${server.url}/ledger/key`)).text();
  const args = ['gateway', '--ledger-url', `${server.url}/ledger`, '--ledger-key', key.trim(), '--port', '0'];
  gateway = spawn(installed.verifier.file, [...installed.verifier.args, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(gateway.stdout as NonNullable<typeof gateway.stdout>, 'data')) as [Buffer];
  return line.toString().trim();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-online-'));
  server = await startServerProcess({ folder: join(folder, 'data'), env });
  internet = openPublicInternet({ [issuer]: server.url, [auditor]: await startGateway() });
  const key = await run(installed.server, ['keys', 'trusted', '--data', join(folder, 'data')]);
  await writeFile(join(folder, 'key.json'), key.stdout);
});
afterAll(async () => {
  internet[Symbol.dispose]();
  await stopChild(gateway);
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** The verifier's commands, and the verdict of the independent script. */
async function verify(name: string, gatewayOf: keyof typeof gateways = 'issuer', more: readonly string[] = []) {
  const original = await readFile(join(folder, name));
  const archive = await readFile(join(folder, `${name}.proof.zip`));
  checkInPython(original, archive, await readFile(join(folder, 'key.json'), 'utf8'));
  const files = ['--file', name, '--proof', `${name}.proof.zip`, '--trusted-key', 'key.json'];
  const addresses = ['--issuer-base-url', `https://${issuer}`, '--chain-url-template', gateways[gatewayOf]];
  const hosts = ['--allow-host', issuer, '--allow-host', auditor];
  return internet.verify([...files, '--online', ...addresses, ...hosts, ...more], folder);
}

const isValid = { code: 0 };

type Proved = { readonly fileId: string; readonly fileHash: string };

/** Returns the program's output about the file, whose archive exists then. */
async function prove(name: string, size: number, ...flags: string[]): Promise<Proved> {
  await writeFile(join(folder, name), randomBytes(size));
  const { code, stdout, stderr } = await cli('prove', name, '--json', ...flags);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout).files[0] as Proved;
}

describe.skipIf(whyNot !== null)(`over HTTPS${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  /** Every test needs the account. */
  const register = onlyOnce(async () => {
    const email = ['register', '--email', 'alice@example.org'];
    expect(await cli(...email)).toMatchObject({ code: 0 });
    const mails = join(folder, 'data', 'mail');
    const listMails = async () => (await readdir(mails).catch(() => [])).filter(name => name.endsWith('.eml'));
    await expect.poll(listMails).toHaveLength(1);
    const { text } = await PostalMime.parse(await readFile(join(mails, (await listMails())[0] as string)));
    const code = /\b\d{6}\b/.exec(text ?? '')?.[0] ?? '';
    const rest = ['--code', code, '--username', 'alice', '--password-stdin'];
    expect(await run(installed.cli, [...email, ...rest], password)).toMatchObject({ code: 0 });
  });
  beforeEach(register, 120_000);

  test('a person registers with the mailed code', register);

  test('an encrypted upload is VALID, through the gateway of the issuer and of an auditor', {
    tags: 'long',
  }, async () => {
    await prove('sealed.pdf', 3_000_000, '--proxied');
    expect(await verify('sealed.pdf')).toMatchObject(isValid);
    expect(await verify('sealed.pdf', 'auditor')).toMatchObject(isValid);
  });

  test('a direct upload is VALID, and with one more byte it is not', async () => {
    await prove('direct.bin', 12_000_000);
    expect(await verify('direct.bin')).toMatchObject(isValid);
    const bytes = await readFile(join(folder, 'direct.bin'));
    await writeFile(join(folder, 'longer.bin'), Buffer.concat([bytes, Buffer.of(0)]));
    const files = ['--file', 'longer.bin', '--proof', 'direct.bin.proof.zip', '--trusted-key', 'key.json'];
    expect((await internet.verify(files, folder)).code).toBe(2);
  });

  test('each of three versions is VALID while it is the newest, and superseded by the next', {
    tags: 'long',
  }, async () => {
    const names = ['first.txt', 'second.txt', 'third.txt'] as const;
    let before: Proved | undefined;
    for (const [index, name] of names.entries()) {
      before = await prove(name, 1000, ...(before === undefined ? [] : ['--version-of', before.fileId]));
      expect(await verify(name, 'auditor')).toMatchObject(isValid);
      for (const older of names.slice(0, index))
        expect(await verify(older)).toMatchObject({ code: 2, stdout: expect.stringContaining('superseded') });
    }
  });

  test(`a file in ${chunks} chunks is VALID`, { tags: 'long', timeout: 600_000 }, async () => {
    const bytes = randomBytes(chunks * 3 - 1);
    await writeFile(join(folder, 'shreds.bin'), bytes);
    const alice = new Person('alice', server.url);
    await alice.login('alice', password);
    const { clientId, parts } = await startDirect(alice, bytes, { name: 'shreds.bin', chunkSize: 3 });
    const sent = await inParallel(parts, part => putSigned(part, cut(bytes, 3, part.index)));
    expect(sent.every(({ ok }) => ok)).toBe(true);
    const stored = await completeDirect(alice, clientId);
    const saved = ['--wait', '120', '-o', 'shreds.bin.proof.zip'];
    expect(await cli('proofs', 'export', stored.fileHash, ...saved)).toMatchObject({ code: 0 });
    expect(await verify('shreds.bin')).toMatchObject(isValid);
  });

  test('a revoked proof is INVALID', { tags: 'long' }, async () => {
    const { fileHash } = await prove('mistake.txt', 100);
    expect(await cli('proofs', 'revoke', fileHash, '--reason', 'sent by mistake', '--yes')).toMatchObject({ code: 0 });
    expect(await verify('mistake.txt')).toMatchObject({ code: 2, stdout: expect.stringContaining('revoked') });
  });

  test('an unreachable issuer and a host that is not allowed leave the proof INDETERMINATE', {
    tags: 'long',
  }, async () => {
    await prove('lonely.txt', 100);
    using elsewhere = openPublicInternet({ [issuer]: 'http://127.0.0.1:1', [auditor]: 'http://127.0.0.1:1' });
    const files = ['--file', 'lonely.txt', '--proof', 'lonely.txt.proof.zip', '--trusted-key', 'key.json'];
    const addresses = ['--issuer-base-url', `https://${issuer}`, '--chain-url-template', gateways.issuer];
    const online = [...files, '--online', ...addresses];
    expect((await elsewhere.verify([...online, '--allow-host', issuer], folder)).code).toBe(3);
    expect((await internet.verify([...online, '--allow-host', auditor], folder)).code).toBe(3);
    expect((await internet.verify([...online, '--allow-host', issuer], folder)).code).toBe(0);
  });

  async function expectConsistent(): Promise<void> {
    await server[Symbol.asyncDispose]();
    const config = await readConfig(['--data', join(folder, 'data')], env);
    const database = await openDatabase(config.db);
    await checkEverything({ config, app: { database } });
    await database.close();
  }

  test('database, objects, ledger and proofs are consistent at the end', expectConsistent);

  test('so they are after the long tests', { tags: 'long' }, expectConsistent);
});
