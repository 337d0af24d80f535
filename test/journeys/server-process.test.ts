// The program itself, as an operator meets it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../server/bin/recordproof-server.mjs', import.meta.url));
const cleaners: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleaners.splice(0)) clean();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-process-'));
  cleaners.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Run = { child: ChildProcess; stdout: () => string; stderr: () => string; exit: Promise<number | null> };

function run(args: string[], env: Record<string, string> = {}, input?: string): Run {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(RECORDPROOF_|DATABASE_URL)/.test(name)),
  );
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...clean, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  cleaners.push(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', data => (out += data));
  child.stderr.on('data', data => (err += data));
  child.stdin.end(input ?? '');
  const exit = once(child, 'close').then(([code]) => code as number | null);
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

test('it starts with nothing, says where it is, and stops when told to', async () => {
  const server = serve(newFolder());
  const url = await untilReady(server);
  expect(server.stdout()).toMatch(/set-up code +[0-9A-Za-z]{20}\n/);
  expect((await fetch(`${url}/actuator/health/readiness`)).status).toBe(200);
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
});

test.each([
  [['--prot', '1'], {}, '--prot'],
  [[], { RECORDPROOF_PORT: 'http' }, 'RECORDPROOF_PORT'],
  [[], { RECORDPROOF_NONSENSE: '1' }, 'RECORDPROOF_NONSENSE'],
  [[], { RECORDPROOF_S3_BUCKET: 'b' }, 'S3'],
])('a wrong setting is one sentence and exit code 78: %j %j', async (args, env, part) => {
  const folder = newFolder();
  const server = run(['--data', join(folder, 'inner'), ...args], env);
  expect(await server.exit).toBe(78);
  expect(server.stderr().trim().split('\n')).toHaveLength(1);
  expect(server.stderr()).toContain(part);
  expect(server.stdout()).toBe('');
});

test('a taken port, a folder in use and a database that is not there are told plainly', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  cleaners.push(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const taken = run(['--data', newFolder(), '--port', String(port)]);
  expect(await taken.exit).toBe(1);
  expect(taken.stderr()).toContain(`port ${port} on 127.0.0.1 is taken`);

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

test('accounts and tenants are made on the machine itself, beside a running server', async () => {
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

test('a request that runs when the server is told to stop is answered', async () => {
  const server = serve(newFolder());
  const url = new URL(await untilReady(server));
  const { connect } = await import('node:net');
  const body = JSON.stringify({ username: 'nobody', password: 'whatever' });
  const socket = connect(Number(url.port), url.hostname);
  const head = `POST /auth/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.write(head + body.slice(0, 5));
  await fetch(`${url.origin}/actuator/health/liveness`);
  server.child.kill('SIGTERM');
  while (!server.stderr().includes('SIGTERM')) await once(server.child.stderr ?? server.child, 'data');
  socket.write(body.slice(5));
  let answer = '';
  for await (const data of socket) answer += data;
  expect(answer).toContain('"code":20002');
  expect(await server.exit).toBe(0);
});

test('help and version need nothing', async () => {
  const help = run(['--help']);
  expect(await help.exit).toBe(0);
  expect(help.stdout()).toContain('admin create');
  const version = run(['--version']);
  expect(await version.exit).toBe(0);
  expect(version.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await run(['dance']).exit).toBe(64);
});
