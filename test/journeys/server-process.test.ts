// Journeys of an operator with the program `recordproof-server`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once as onlyOnce } from '@recordproof/shared/once.ts';
import { afterAll, afterEach, expect, test } from 'vitest';
import { findFreePort, stopChild } from '../support/child-process.ts';
import { installed } from '../support/installed.ts';
import { testWith } from '../support/programs.ts';

const program = installed.server;
const cleaners: (() => unknown)[] = [];

/** In reverse order: a program has ended before the folder it writes to is removed. */
afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-process-'));
  cleaners.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function writtenFile(folder: string, name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

type Run = { child: ChildProcess; stdout: () => string; stderr: () => string; exit: Promise<number | null> };

function run(args: string[], env: Record<string, string> = {}, input?: string): Run {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(RECORDPROOF_|DATABASE_URL)/.test(name)),
  );
  const child = spawn(program.file, [...program.args, ...args], {
    env: { ...clean, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', data => (out += data));
  child.stderr.on('data', data => (err += data));
  child.stdin.end(input ?? '');
  const exit = once(child, 'close').then(([code]) => code as number | null);
  cleaners.push(() => stopChild(child, 'SIGKILL'));
  return { child, stdout: () => out, stderr: () => err, exit };
}

async function untilReady(server: Run): Promise<string> {
  for (;;) {
    const url = /address +(http:\S+)/.exec(server.stdout())?.[1];
    if (url) return url;
    const ended = await Promise.race([
      server.exit.then(() => true),
      once(server.child.stdout ?? server.child, 'data').then(() => false),
    ]);
    if (ended) throw new Error(`the server ended: ${server.stderr()}`);
  }
}

const serve = (folder: string, env: Record<string, string> = {}, ...more: string[]): Run =>
  run(['--data', folder, '--port', '0', ...more], env);

test('a command exits with 0 when its output is closed early', async () => {
  const config = run(['config']);
  config.child.stdout?.destroy();
  expect([await config.exit, config.stderr()]).toEqual([0, '']);
});

test('the server starts without settings, prints its address, and stops on request', async () => {
  const server = serve(newFolder());
  const url = await untilReady(server);
  expect(server.stdout()).toMatch(/set-up code +[0-9A-Za-z]{20}\n/);
  expect((await fetch(`${url}/actuator/health/readiness`)).status).toBe(200);
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
});

test('a profile without proofs reports it with the setting that changes it', { tags: 'long' }, async () => {
  const off = serve(newFolder());
  await untilReady(off);
  expect(off.stdout()).toMatch(/proofs +OFF \(profile server\); on with ATTESTATION_PRODUCTION_ENABLED=true, or/);
  const on = serve(newFolder(), {}, '--profile', 'laptop');
  await untilReady(on);
  expect(on.stdout()).toMatch(/proofs +on, within seconds/);
  const profiles = run(['config', '--profile']);
  expect(await profiles.exit).toBe(0);
  expect(profiles.stdout()).toMatch(/attestation\.production\.enabled +false +true +collect/);
  expect(profiles.stdout()).toMatch(/attestation\.production\.min-batch-size +50 +1 /);
});

test('a server that listens on all addresses prints an address that can be opened', { tags: 'long' }, async () => {
  const server = serve(newFolder(), {}, '--host', '0.0.0.0');
  const url = await untilReady(server);
  expect(server.stdout()).not.toContain('0.0.0.0');
  expect((await fetch(`${url}/actuator/health/readiness`)).status).toBe(200);
  const behind = serve(newFolder(), { RECORDPROOF_PUBLIC_URL: 'https://files.example.org/' });
  while (!behind.stdout().includes('first admin')) await once(behind.child.stdout ?? behind.child, 'data');
  expect(behind.stdout()).toMatch(/address +https:\/\/files\.example\.org\n +listens at +http:\/\/127\.0\.0\.1:\d+\n/);
  expect(behind.stdout()).toMatch(/open https:\/\/files\.example\.org\/setup#[0-9A-Za-z]{20}\n/);
});

async function expectReported(args: string[], env: Record<string, string>, part: string): Promise<void> {
  const code = args.length > 0 ? 64 : 78;
  const folder = newFolder();
  const server = run(['--data', join(folder, 'inner'), ...args], env);
  expect(await server.exit).toBe(code);
  expect(server.stderr().trim().split('\n')).toHaveLength(1);
  expect(server.stderr()).toContain(part);
  expect(server.stdout()).toBe('');
  expect(readdirSync(folder)).toEqual([]);
  const shown = run(['config', '--data', join(folder, 'inner'), ...args], env);
  expect([await shown.exit, shown.stderr()], 'the command "config" says the same').toEqual([code, server.stderr()]);
}

test.each<[string[], Record<string, string>, string]>([[['--prot', '1'], {}, '--prot']])(
  'a wrong flag (64) or setting (78) is reported in one sentence: %j %j',
  expectReported,
);

test.each<[string[], Record<string, string>, string]>([
  [[], { RECORDPROOF_PORT: 'http' }, 'RECORDPROOF_PORT'],
  [[], { RECORDPROOF_NONSENSE: '1' }, 'RECORDPROOF_NONSENSE'],
  [[], { RECORDPROOF_S3_BUCKET: 'b' }, 'S3'],
  [[], { RECORDPROOF_TRUSTED_PROXIES: '10.0.0.0/99' }, 'RECORDPROOF_TRUSTED_PROXIES'],
  [[], { RECORDPROOF_MAIL_FROM: 'not an address' }, 'RECORDPROOF_MAIL_FROM'],
  [[], { SMTP_URL: 'smtp://' }, 'SMTP_URL'],
  [[], { REDIS_URL: 'redis://' }, 'REDIS_URL'],
  [['--host', '999.1.1.1'], {}, '--host'],
])('a wrong flag (64) or setting (78) is reported in one sentence: %j %j', { tags: 'long' }, expectReported);

async function expectFolderRejected(_name: string, path: () => string): Promise<void> {
  const server = run(['--data', path(), '--port', '0']);
  expect(await server.exit).toBe(78);
  expect(server.stderr().trim().split('\n')).toHaveLength(1);
}

test.each([['a file', () => writtenFile(newFolder(), 'file', '')]])(
  'a data folder that is %s is rejected at once',
  expectFolderRejected,
);

test.each([
  ['below /proc', () => '/proc/recordproof'],
  ['below a file', () => join(writtenFile(newFolder(), 'file', ''), 'x')],
])('a data folder that is %s is rejected at once', { tags: 'long' }, expectFolderRejected);

test('an unreachable object store is reported in one sentence with exit code 69', { tags: 'long' }, async () => {
  const server = serve(newFolder(), {
    RECORDPROOF_S3_ENDPOINTS: 'http://127.0.0.1:1',
    RECORDPROOF_S3_BUCKET: 'b',
    RECORDPROOF_S3_ACCESS_KEY_ID: 'k',
    RECORDPROOF_S3_SECRET_ACCESS_KEY: 'hunter2',
  });
  expect(await server.exit).toBe(69);
  expect(server.stderr()).toMatch(
    /^recordproof-server: the object store at http:\/\/127.0.0.1:1 does not answer: .*\.\n$/,
  );
});

test('a port in use, a folder in use and an unreachable database are reported plainly', { tags: 'long' }, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  cleaners.push(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const taken = run(['--data', newFolder(), '--port', String(port)]);
  expect(await taken.exit).toBe(1);
  expect(taken.stderr()).toContain(`port ${port} on 127.0.0.1 is in use`);

  const folder = newFolder();
  const first = serve(folder);
  await untilReady(first);
  const second = serve(folder);
  expect(await second.exit).toBe(1);
  expect(second.stderr()).toContain('another server is running');

  const lost = serve(newFolder(), { DATABASE_URL: `postgres://nobody:hunter2@127.0.0.1:${port === 1 ? 2 : 1}/none` });
  expect(await lost.exit).toBe(69);
  expect(lost.stderr()).toContain('the database does not answer');
  expect(lost.stderr()).not.toContain('hunter2');
});

const used = mkdtempSync(join(tmpdir(), 'recordproof-process-'));
afterAll(() => rmSync(used, { recursive: true, force: true }));

const runOnUsed = onlyOnce(async () => {
  const server = serve(used);
  await untilReady(server);
  server.child.kill('SIGTERM');
  await server.exit;
});

/** A data folder that a server has used, and that none is running on. */
async function usedFolder(): Promise<string> {
  await runOnUsed();
  const folder = newFolder();
  cpSync(used, folder, { recursive: true });
  return folder;
}

async function expectNothingCreated(...command: string[]): Promise<void> {
  const folder = newFolder();
  for (const path of [folder, join(folder, 'not-there')]) {
    const result = run([...command, '--data', path], {}, 'a long password');
    expect([await result.exit, result.stdout()]).toEqual([66, '']);
    expect(result.stderr()).toBe(
      `recordproof-server: no RecordProof was ever set up in ${path}; name its data folder with --data.\n`,
    );
  }
  expect(readdirSync(folder)).toEqual([]);
}

test.each([['ledger', 'verify']])(
  '"%s %s" without an installation reports that and creates nothing',
  expectNothingCreated,
);

test.each([
  ['keys', 'trusted'],
  ['keys', 'list'],
  ['keys', 'rotate-signing'],
  ['audit', 'verify'],
  ['jobs', 'list'],
  ['jobs', 'revive', '--id', '7'],
  ['ledger', 'restore'],
  ['admin', 'tenants'],
  ['admin', 'password', '--username', 'ada'],
])('"%s %s" without an installation reports that and creates nothing', { tags: 'long' }, expectNothingCreated);

test('before the first start an account exists, but neither signing key nor ledger can be read', {
  tags: 'long',
}, async () => {
  const folder = newFolder();
  const create = ['admin', 'create', '--username', 'root', '--email', 'root@example.org'];
  expect(await run([...create, '--data', folder], {}, 'a long password').exit).toBe(0);
  const before = listKeys(folder);
  for (const command of [
    ['keys', 'trusted'],
    ['keys', 'list'],
    ['ledger', 'verify'],
  ]) {
    const result = run([...command, '--data', folder]);
    expect([await result.exit, result.stdout()]).toEqual([66, '']);
    expect(result.stderr()).toContain('the first start of the server');
  }
  expect(listKeys(folder)).toEqual(before);
  expect(await run(['audit', 'verify', '--data', folder]).exit).toBe(0);
});

const listKeys = (folder: string) => readdirSync(join(folder, 'keys')).sort();

test('a lost key file is reported and not created again, until it is restored', async () => {
  const folder = await usedFolder();
  const all = listKeys(folder);
  const kept = readFileSync(join(folder, 'keys', 'pepper.key'));
  rmSync(join(folder, 'keys', 'pepper.key'));
  for (const rejected of [serve(folder), run(['audit', 'verify', '--data', folder])]) {
    expect(await rejected.exit).toBe(78);
    expect(rejected.stderr()).toMatch(
      /^recordproof-server: the key file \S+pepper\.key is missing; restore it .*\.\n$/,
    );
  }
  expect(listKeys(folder)).toEqual(all.filter(name => name !== 'pepper.key'));
  chmodSync(writtenFile(join(folder, 'keys'), 'pepper.key', kept), 0o600);
  await untilReady(serve(folder));
});

const damagedPage = (folder: string): void => {
  const database = readFileSync(join(folder, 'recordproof.db'));
  writeFileSync(join(folder, 'recordproof.db'), database.fill(0xff, 4096, 4096 * 4));
};

type Damage = [name: string, damage: (folder: string) => void, code: number, part: string];

async function expectDamageReported(...[_name, damage, code, part]: Damage): Promise<void> {
  const folder = await usedFolder();
  damage(folder);
  const server = serve(folder);
  expect(await server.exit).toBe(code);
  expect(server.stderr()).toContain(part);
  expect(server.stderr().trim().split('\n')).toHaveLength(1);
}

test.each<Damage>([
  [
    'a file that is not a database',
    folder => writtenFile(folder, 'recordproof.db', 'x'.repeat(9000)),
    1,
    'is damaged; restore',
  ],
  ['invalid master keys', folder => writtenFile(join(folder, 'keys'), 'master-keys.json', '{'), 78, 'is damaged'],
])('%s is reported in one sentence', expectDamageReported);

test.each<Damage>([
  [
    'master keys that others can read',
    folder => chmodSync(join(folder, 'keys', 'master-keys.json'), 0o644),
    78,
    'run: chmod 600',
  ],
  ['a database with wrong pages', damagedPage, 1, 'is damaged, or its disk cannot be read'],
  ['an invalid lock file', folder => writtenFile(folder, 'server.lock', 'x'.repeat(9000)), 1, 'server.lock'],
])('%s is reported in one sentence', { tags: 'long' }, expectDamageReported);

test('a server whose output cannot be written keeps running', { tags: 'long' }, async () => {
  const full = openSync('/dev/full', 'w');
  cleaners.push(() => closeSync(full));
  const port = await findFreePort();
  const args = [...program.args, '--data', newFolder(), '--port', String(port)];
  const child = spawn(program.file, args, { stdio: ['ignore', full, full] });
  cleaners.push(() => stopChild(child));
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/actuator/health/readiness`).then(
      ({ status }) => status,
      () => child.exitCode ?? 'not yet',
    );
  await expect.poll(isReady, { timeout: 60_000 }).toBe(200);
  expect(child.exitCode).toBe(null);
});

test('SIGHUP reloads the settings and never stops the server', { tags: 'long' }, async () => {
  const server = serve(newFolder());
  await untilReady(server);
  server.child.kill('SIGHUP');
  await expect.poll(() => server.stderr(), { timeout: 60_000 }).toContain('no setting to reload has changed');
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  expect(server.stderr()).toContain('SIGTERM: finishing');
});

/** At a terminal: each answer is typed when its question is shown. */
async function type(
  args: string[],
  dialogue: readonly (readonly [string, string])[],
): Promise<[number | null, string]> {
  const line = [program.file, ...program.args, ...args].map(word => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  cleaners.push(() => stopChild(child, 'SIGKILL'));
  const ended = once(child, 'close');
  let shown = '';
  child.stdout.on('data', data => (shown += data));
  for (const [question, answer] of dialogue) {
    while (!shown.includes(question)) await once(child.stdout, 'data');
    child.stdin.write(answer);
  }
  return [(await ended)[0] as number | null, shown];
}

testWith('script').each<[string, [string, string][], number, string]>([
  [
    'entered twice, creates the account',
    [
      ['New password', 'a long password\r'],
      ['Once more', 'a long password\r'],
    ],
    0,
    'root created',
  ],
  [
    'entered differently, is rejected',
    [
      ['New password', 'a long password\r'],
      ['Once more', 'a lung password\r'],
    ],
    64,
    'differ;',
  ],
  ['Ctrl-C ends the command', [['New password', '\x03']], 130, 'interrupted'],
  ['Ctrl-D ends the command', [['New password', '\x04']], 130, 'interrupted'],
])('a typed password: %s', async (_name, dialogue, code, part) => {
  const args = ['admin', 'create', '--data', newFolder(), '--username', 'root', '--email', 'root@example.org'];
  const [exit, shown] = await type(args, dialogue);
  expect(shown).toContain(part);
  expect(shown).not.toMatch(/l[ou]ng password|\n +at /);
  expect(exit).toBe(code);
});

test('concurrent creation creates a tenant once, recorded in its own audit log', { tags: 'long' }, async () => {
  const folder = newFolder();
  const make = () => run(['admin', 'tenants', '--create', 'acme', '--data', folder]);
  const create = ['admin', 'create', '--username', 'root', '--email', 'root@example.org'];
  expect(await run([...create, '--data', folder], {}, 'a long password').exit).toBe(0);
  const runs = [make(), make(), make()];
  const codes = await Promise.all(runs.map(made => made.exit));
  expect(codes.toSorted()).toEqual([0, 1, 1]);
  for (const made of runs.filter((_run, index) => codes[index] === 1))
    expect(made.stderr()).toBe('recordproof-server: there is a tenant "acme" already.\n');
  const audit = run(['audit', 'verify', '--data', folder]);
  await audit.exit;
  expect(audit.stdout()).toContain('acme: 1 rows, unbroken');
});

test('accounts and tenants are created on the host, beside a running server', { tags: 'long' }, async () => {
  const folder = newFolder();
  const server = serve(folder);
  const url = await untilReady(server);
  const local = (args: string[], input?: string) => run([...args, '--data', folder], {}, input);
  const made = local(['admin', 'create', '--username', 'root', '--email', 'root@example.org'], 'a long password\n');
  expect(await made.exit, made.stderr()).toBe(0);
  const login = (username: string, password: string) =>
    fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
  expect((await login('root', 'a long password')).status).toBe(200);

  expect(await local(['admin', 'tenants', '--create', 'acme']).exit).toBe(0);
  const worker = local(
    ['admin', 'create', '--tenant', 'acme', '--role', 'user', '--username', 'bob', '--email', 'bob@example.org'],
    'bobs password',
  );
  expect(await worker.exit, worker.stderr()).toBe(0);
  expect(worker.stdout()).toContain('signs in as acme/bob, or as bob@example.org');
  expect((await login('acme/bob', 'bobs password')).status).toBe(200);

  expect(await local(['admin', 'password', '--username', 'root'], 'another password').exit).toBe(0);
  expect((await login('root', 'a long password')).status).toBe(401);
  expect((await login('root', 'another password')).status).toBe(200);

  const again = local(['admin', 'create', '--username', 'ROOT', '--email', 'x@example.org'], 'a long password');
  expect(await again.exit).toBe(1);
  expect(again.stderr()).toContain('taken');
  expect(await local(['admin', 'create', '--username', 'x'], 'a long password').exit).toBe(64);
  const audit = local(['audit', 'verify']);
  expect(await audit.exit).toBe(0);
  expect(audit.stdout()).toMatch(/default: \d+ rows, unbroken\nacme: \d+ rows, unbroken/);
});

test('a request in progress when the server stops is answered', async () => {
  const server = serve(newFolder());
  const url = new URL(await untilReady(server));
  const { connect } = await import('node:net');
  const body = JSON.stringify({ username: 'nobody', password: 'whatever' });
  const socket = connect(Number(url.port), url.hostname);
  const head = `POST /auth/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.write(head);
  let answer = '';
  socket.on('data', data => (answer += data));
  while (!answer.includes('100 Continue')) await once(socket, 'data'); // the server has begun
  socket.write(body.slice(0, 5));
  server.child.kill('SIGTERM');
  while (!server.stderr().includes('SIGTERM')) await once(server.child.stderr ?? server.child, 'data');
  socket.write(body.slice(5));
  await once(socket, 'close');
  expect(answer).toContain('"code":20002');
  expect(await server.exit).toBe(0);
});

test('help and version need no installation', async () => {
  const help = run(['--help']);
  expect(await help.exit).toBe(0);
  expect(help.stdout()).toContain('admin create');
  const create = run(['admin', 'create', '--help']);
  expect(await create.exit).toBe(0);
  for (const part of [
    '--email',
    '--nickname',
    '--role',
    '--tenant',
    'DATABASE_URL',
    '| recordproof-server admin create',
  ])
    expect(create.stdout()).toContain(part);
  const version = run(['--version']);
  expect(await version.exit).toBe(0);
  expect(version.stdout()).toMatch(/^\d+\.\d+\.\d+( \(commit [0-9a-f]{12}(-changed)?\))?\n$/);
  expect(await run(['dance']).exit).toBe(64);
});
