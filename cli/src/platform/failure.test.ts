// Errors of commands: exit codes, messages and hints, stack traces under --debug, unsafe permissions of local files.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as openTcpServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findDeadAddress, type Home, openHome, openTestServer } from '../testing.ts';
import { exitCodes } from './exit-codes.ts';
import { toFailure } from './failure.ts';

const errorOf = (stdout: string) => (JSON.parse(stdout) as { error: Record<string, unknown> }).error;
const token = { RECORDPROOF_TOKEN: 'any' };

test('a server that is not running ends with 69 and names the address', async () => {
  await using home = await openHome({ url: await findDeadAddress() });
  const who = await home.runHere(['whoami'], { env: token });
  expect(who).toMatchObject({ code: 69, stdout: '' });
  expect(who.stderr).toMatch(/^error: no answer from http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED\n {2}try: /);
  expect(who.stderr).not.toContain('    at ');
});

async function openPlainServer(status: number, headers: Record<string, string>) {
  const http = createServer((_request, response) => void response.writeHead(status, headers).end('hello'));
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { url, [Symbol.dispose]: () => void http.close() };
}

/** Breaks every connection as a crash does, at once or in the middle of an answer. */
async function openBreakingServer(answer: string) {
  const broken = openTcpServer(socket => {
    socket.on('error', () => undefined).once('data', () => socket.write(answer, () => socket.resetAndDestroy()));
  });
  await new Promise<void>(resolve => broken.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  return { url, [Symbol.dispose]: () => void broken.close() };
}

const half = 'HTTP/1.1 200 OK\r\ncontent-type: application/zip\r\ncontent-length: 1000\r\n\r\nhalf';

test.each([
  ['at once', '', ['whoami'], 'runHere'],
  ['at once', '', ['events', 'tail'], 'run'],
  ['at once', '', ['ledger', 'checkpoint'], 'runHere'],
  ['in the middle', half, ['files', 'list'], 'runHere'],
  ['in the middle', half, ['proofs', 'export', '42'], 'run'],
  ['in the middle', half, ['ledger', 'checkpoint'], 'runHere'],
] as const)('a connection that breaks %s ends with 69, without path or stack', async (_when, answer, args, how) => {
  using server = await openBreakingServer(answer);
  await using home = await openHome(server);
  const run = await home[how](args, { env: token });
  expect(run).toMatchObject({ code: 69, stdout: '' });
  expect(run.stderr).toMatch(/^error: .*\n {2}try: .*\n$/);
  expect(run.stderr).not.toMatch(/ at |\.ts|file:|node:|\/home|bug/);
});

test('errors of network and disk are reported in a sentence, and not as bugs', () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  const cut = new TypeError('terminated', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  });
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
  for (const error of [reset, cut, broken])
    expect(toFailure(error, '')).toMatchObject({ kind: 'TRANSPORT', ending: 'unreachable' });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  expect(toFailure(full, '')).toMatchObject({ ending: 'refused', message: 'the disk is full' });
  const long = Object.assign(new Error('ENAMETOOLONG'), { code: 'ENAMETOOLONG', syscall: 'open', path: 'x/y' });
  expect(toFailure(long, '')).toMatchObject({ ending: 'refused', message: 'x/y: the name is too long for this disk' });
  expect(toFailure(new Error('so what'), '')).toMatchObject({ ending: 'bug' });
});

test('a server that is not RecordProof ends with 69', async () => {
  using other = await openPlainServer(200, {});
  await using home = await openHome(other);
  const who = await home.runHere(['whoami', '--json'], { env: token });
  expect(who).toMatchObject({ code: 69, stderr: '' });
  expect(errorOf(who.stdout)).toMatchObject({ kind: 'TRANSPORT', exitCode: 69 });
});

test('an address with an extra path is reported as such, signed in or not', async () => {
  await using server = await openTestServer();
  await using home = await openHome();
  const docs = `${server.url}/docs`;
  for (const env of [token, {}]) {
    const who = await home.runHere(['whoami', '--server', docs], { env: env as Record<string, string> });
    expect(who).toMatchObject({ code: 69, stdout: '' });
    expect(who.stderr).toContain(`${docs} is not the address of a RecordProof server`);
  }
});

test('a redirect is reported and not followed', async () => {
  using other = await openPlainServer(301, { location: 'https://elsewhere.example.org/' });
  await using home = await openHome(other);
  const who = await home.runHere(['whoami'], { env: token });
  expect(who.code).toBe(69);
  expect(who.stderr).toContain('redirects to https://elsewhere.example.org/');
});

test('a server that does not respond ends the command after --timeout', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
  await using home = await openHome({ url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
  const who = await home.runHere(['whoami', '--timeout', '1'], { env: token });
  silent.closeAllConnections();
  silent.close();
  expect(who.code).toBe(69);
  expect(who.stderr).toContain('within 1 s');
});

test('too many requests end with 75 and report how long to wait, to scripts too', async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const failing = { kind: 'RATE_LIMIT_EXCEEDED', retryAfter: 4200 } as const;
  server.failing.push(failing, failing);
  const spoken = await home.runHere(['whoami'], { env: token });
  expect(spoken).toMatchObject({ code: 75 });
  expect(spoken.stderr).toContain('wait 70 minutes');
  const json = await home.runHere(['whoami', '--json'], { env: token });
  expect(errorOf(json.stdout)).toMatchObject({ code: 40004, status: 429, exitCode: 75, retryAfterSeconds: 4200 });
});

test('an internal server error ends with 70 and shows the trace id', async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  server.failing.push({ kind: 'INTERNAL' });
  const who = await home.runHere(['whoami'], { env: token });
  expect(who).toMatchObject({ code: 70 });
  expect(who.stderr).toContain(`trace id ${'ab'.repeat(16)}`);
});

test('stacks are shown only with --debug or DEBUG', async () => {
  await using home = await openHome({ url: await findDeadAddress() });
  expect((await home.runHere(['whoami', '--debug'], { env: token })).stderr).toContain('    at ');
  expect((await home.runHere(['whoami'], { env: { ...token, DEBUG: 'recordproof' } })).stderr).toContain('    at ');
  expect((await home.runHere(['whoami', '--debug', '--no-color'], { env: token })).stderr).not.toContain('\u001b');
});

test.each([
  ['an unknown command', ['whoam'], 'recordproof whoami'],
  ['an unknown command of a topic', ['config', 'gte'], 'recordproof config get'],
  ['help for an unknown command', ['help', 'constructor'], 'recordproof --help'],
  ['an unknown flag', ['whoami', '--loud'], 'recordproof whoami --help'],
  ['an extra argument', ['whoami', 'alice'], 'recordproof whoami --help'],
  ['a missing argument', ['config', 'get'], 'recordproof config get --help'],
  ['an invalid time limit', ['whoami', '--timeout', 'long'], undefined],
  ['an invalid address', ['whoami', '--server', 'example.org'], 'https://proof.example.org'],
  ['an invalid profile', ['whoami', '--profile', 'work'], 'recordproof profiles list'],
  ['a missing value without a terminal', ['login'], '--username'],
])('%s ends with 64 and a hint', async (_what, args, tryThis) => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const run = await home.runHere(args);
  expect(run).toMatchObject({ code: 64, stdout: '' });
  expect(run.stderr).toMatch(/^error: /);
  if (tryThis) expect(run.stderr).toContain(tryThis);
});

test.each([['--password', 'hunter22'], ['--password=hunter22'], ['--token', 'hunter22'], ['--passwrd=hunter22']])(
  'a secret on the command line is rejected and not repeated: %s',
  async (...flags) => {
    await using home = await openHome();
    const run = await home.runHere(['login', '--username', 'alice', ...flags]);
    expect(run.code).toBe(64);
    expect(run.stdout + run.stderr).not.toContain('hunter22');
  },
);

async function writeConfigFile(home: Home, name: string, content: string, mode = 0o600): Promise<string> {
  await mkdir(home.configFolder, { recursive: true, mode: 0o700 });
  const path = join(home.configFolder, name);
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

test.each([
  ['is not JSON', '{"profile":', 'is not valid JSON'],
  ['is not an object', '[]', 'one JSON object'],
  ['has an unknown key', '{"sever": "http://x"}', 'unknown key "sever"'],
  ['has an unknown setting', '{"profiles": {"default": {"color": 1}}}', 'unknown key "color"'],
  ['has an invalid value', '{"profiles": {"default": {"timeout": 0}}}', 'profiles.default.timeout'],
  ['has a profile with an invalid name', '{"profiles": {"__proto__": {}}}', 'a profile name is'],
  ['uses an unknown profile', '{"profile": "work"}', 'not among its profiles'],
])('a config.json that %s ends with 78, and config path still works', async (_what, content, message) => {
  await using home = await openHome();
  const path = await writeConfigFile(home, 'config.json', content);
  const run = await home.runHere(['config', 'list']);
  expect(run).toMatchObject({ code: 78, stdout: '' });
  expect(run.stderr).toContain(path);
  expect(run.stderr).toContain(message);
  expect(await home.runHere(['config', 'path'])).toMatchObject({ code: 0, stdout: `${path}\n` });
});

test('credentials readable by others are rejected, and no password is sent', async () => {
  await using server = await openTestServer();
  await using home = await openHome(server);
  const path = await writeConfigFile(home, 'credentials.json', '{"sessions":[]}', 0o640);
  for (const args of [['whoami'], ['login', '--username', 'alice', '--password-stdin']]) {
    const run = await home.runHere(args, { input: 'correct horse' });
    expect(run).toMatchObject({ code: 78, stdout: '' });
    expect(run.stderr).toContain(`other users can read or change ${path} (mode 0640)`);
    expect(run.stderr).toContain(`chmod 600 ${path}`);
  }
  expect(server.calls).toEqual([]);
});

test('a folder and settings writable by others are rejected', async () => {
  await using home = await openHome();
  await writeConfigFile(home, 'config.json', '{}', 0o666);
  expect((await home.runHere(['whoami'])).stderr).toContain('mode 0666');
  await writeConfigFile(home, 'config.json', '{}', 0o644);
  expect((await home.runHere(['config', 'list'])).code).toBe(0);
  await chmod(home.configFolder, 0o777);
  expect(await home.runHere(['config', 'list'])).toMatchObject({ code: 78 });
});

test('damaged credentials are reported without their content', async () => {
  await using home = await openHome();
  await writeConfigFile(home, 'credentials.json', '{"sessions":[{"token":"very-secret"}]}');
  const run = await home.runHere(['whoami', '--debug']);
  expect(run.code).toBe(78);
  expect(run.stdout + run.stderr).not.toContain('very-secret');
});

test('control characters from the server are removed', async () => {
  const evil = createServer((_request, response) => {
    response.writeHead(409).end(JSON.stringify({ code: 409, message: 'no\u001b]0;owned\u0007\nroot#', data: null }));
  });
  await new Promise<void>(resolve => evil.listen(0, '127.0.0.1', resolve));
  await using home = await openHome({ url: `http://127.0.0.1:${(evil.address() as AddressInfo).port}` });
  const run = await home.runHere(['whoami'], { env: token });
  evil.close();
  expect(run.code).toBe(1);
  expect(run.stderr).toBe('error: no ]0;owned  root#\n');
});

test('the guide lists every exit code with its meaning', async () => {
  const text = await readFile(new URL('../../../docs/guide/cli.md', import.meta.url), 'utf8');
  const guide = text.replace(/ +/g, ' '); // the columns are padded
  for (const { code, meaning } of Object.values(exitCodes)) expect(guide).toContain(`| ${code} | ${meaning} |`);
  const codes = Object.values(exitCodes).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});
