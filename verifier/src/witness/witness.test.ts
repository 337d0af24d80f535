// The witness as it is run: its folder, its command line, and its HTTP service over real connections.
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { verifyCosignature } from '@recordproof/shared/evidence/cosignature.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseTypedKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { addSignatureLines, parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { afterAll, expect, test } from 'vitest';
import { noteVerifiers, postQuantumSigner, testSigner } from '../../../test/support/note-keys.ts';
import { type MemoryLog, memoryLog } from '../../../test/support/witness-requests.ts';
import { main } from '../cli.ts';
import { runWitness } from './witness-command.ts';
import { parseWitnessCommand } from './witness-options.ts';

const logSigner = testSigner('ED25519', 'ledger.example/log');
const log = memoryLog(logSigner);
const fork = memoryLog(logSigner, 1, 3);
const logKey = toTypedKeyText(logSigner);
const root = mkdtempSync(join(tmpdir(), 'witness-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = () => join(root, `data-${folders++}`);

const argsOf = (data: string, ...more: string[]) => [
  ...['--data', data, '--listen', '127.0.0.1:0', '--name', 'witness.example/w1', '--log', logKey],
  ...more,
];

async function openWitness(data = newFolder(), ...more: string[]) {
  const parsed = parseWitnessCommand(argsOf(data, ...more));
  if (parsed.kind !== 'serve') throw new Error('not the service');
  const stopping = new AbortController();
  const started = Promise.withResolvers<string>();
  let [said, logged] = ['', ''];
  const stdout = {
    write: (line: string) => {
      said += line;
      if (line.startsWith('http')) started.resolve(line.trim());
    },
  };
  const running = runWitness(parsed.options, { stdout, stderr: { write: line => (logged += line) } }, stopping.signal);
  const url = await Promise.race([started.promise, running.then(() => Promise.reject(new Error(said)))]);
  const post = (body: Uint8Array | string) =>
    fetch(`${url}/add-checkpoint`, { method: 'POST', body: Buffer.from(body) });
  return {
    ...{ data, url, post, keys: said.split('\n').slice(0, -2).map(parseTypedKey), logged: () => logged },
    submit: async (of: MemoryLog, old: number, size: number) => post(await of.request(old, size)),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

async function run(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const code = await main(args, {
    stdin: (async function* () {})(),
    stdout: { write: (line: string) => (written.stdout += line) },
    stderr: { write: (line: string) => (written.stderr += line) },
  });
  return { code, ...written };
}

test('a growing log gets cosignatures that verify with the printed key', async () => {
  await using witness = await openWitness();
  const [key = logSigner] = witness.keys;
  for (const [old, size] of [
    [0, 3],
    [3, 3],
    [3, 20],
  ] as const) {
    const answer = await witness.submit(log, old, size);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const note = parseSignedNote(addSignatureLines(await log.checkpoint(size), await answer.text()));
    expect(await verifyCosignature(note, key, noteVerifiers)).toMatchObject({ state: 'VALID' });
  }
  expect(witness.logged()).toContain('cosigned ledger.example/log of 20 entries');
});

test('rejections have the status and type of the specification, and a fork is stored with both notes', async () => {
  await using witness = await openWitness();
  await witness.submit(log, 0, 5);
  const conflict = await witness.submit(log, 4, 6);
  expect([conflict.status, conflict.headers.get('content-type'), await conflict.text()]).toEqual([
    409,
    'text/x.tlog.size',
    '5\n',
  ]);
  expect((await witness.submit(fork, 5, 9)).status).toBe(422);
  expect((await witness.submit(memoryLog(testSigner('ED25519', 'other.example')), 0, 1)).status).toBe(404);
  expect((await witness.post('old 0\n')).status).toBe(400);
  expect((await witness.submit(fork, 5, 5)).status).toBe(409);
  const notes = () => readdirSync(join(witness.data, 'forks')).filter(name => name.endsWith('.note'));
  await expect.poll(() => notes().length).toBe(2);
  const kept = notes()
    .toSorted()
    .map(name => readFileSync(join(witness.data, 'forks', name), 'utf8'));
  expect(kept).toEqual([parseUtf8(await log.checkpoint(5)), parseUtf8(await fork.checkpoint(5))]);
});

test('cosigned checkpoints are remembered after a restart, with the same key', async () => {
  const data = newFolder();
  let key = '';
  {
    await using witness = await openWitness(data);
    await witness.submit(log, 0, 7);
    [key = ''] = witness.keys.map(toTypedKeyText);
  }
  await using again = await openWitness(data);
  expect(again.keys.map(toTypedKeyText)).toEqual([key]);
  expect((await again.submit(fork, 0, 7)).status).toBe(409);
  expect((await again.submit(fork, 7, 8)).status).toBe(422);
  expect((await again.submit(log, 7, 8)).status).toBe(200);
});

test('with --post-quantum the witness cosigns with both keys, and continues without the flag', async () => {
  const data = newFolder();
  {
    await using witness = await openWitness(data, '--post-quantum');
    expect(witness.keys.map(({ type }) => type)).toEqual(['COSIGNATURE', 'ML_DSA_44']);
    const note = parseSignedNote(
      addSignatureLines(await log.checkpoint(4), await (await witness.submit(log, 0, 4)).text()),
    );
    for (const key of witness.keys)
      expect(await verifyCosignature(note, key, noteVerifiers)).toMatchObject({ state: 'VALID' });
  }
  await using again = await openWitness(data);
  expect(again.keys).toHaveLength(2);
});

test('bodies, methods, addresses and rates are limited', async () => {
  await using witness = await openWitness(newFolder(), '--requests-per-minute', '3');
  expect((await witness.post('x'.repeat(65_537))).status).toBe(413);
  const { port } = new URL(witness.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
  socket.write(`10001\r\n${'x'.repeat(65_537)}\r\n`);
  expect((await text(socket)).split('\r\n')[0]).toBe('HTTP/1.1 413 Payload Too Large');
  expect((await witness.submit(log, 0, 1)).status).toBe(200);
  const limited = await witness.submit(log, 1, 2);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  const wrong = await fetch(`${witness.url}/add-checkpoint`);
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await fetch(`${witness.url}/else`)).status).toBe(404);
  const health = await fetch(`${witness.url}/health`);
  expect([health.status, await health.json()]).toEqual([200, { status: 'UP', name: 'witness.example/w1', logs: 1 }]);
});

test('one address has at most 32 connections, and a new one when one of them ends', async () => {
  await using witness = await openWitness();
  const { port } = new URL(witness.url);
  const open = async () => {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const ask = async (socket: Socket) => {
    socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    const [said] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])]);
    return String(said).split('\r\n')[0];
  };
  const sockets: Socket[] = [];
  for (let count = 0; count < 32; count++) sockets.push(await open());
  for (const socket of sockets) expect(await ask(socket)).toBe('HTTP/1.1 200 OK');
  const tooMany = await open();
  tooMany.on('error', () => {});
  expect(await ask(tooMany)).toBe('');
  const [first] = sockets;
  first?.destroy();
  await expect.poll(async () => ask((await open()).on('error', () => {}))).toBe('HTTP/1.1 200 OK');
  for (const socket of sockets) socket.destroy();
});

test('a disk that cannot be written prevents cosignatures, and health reports it', async () => {
  await using witness = await openWitness();
  await witness.submit(log, 0, 2);
  // The draft of the next state cannot be made: it is a folder.
  const draft = join(witness.data, 'state.json.draft');
  mkdirSync(draft);
  expect((await witness.submit(log, 2, 3)).status).toBe(500);
  expect((await fetch(`${witness.url}/health`)).status).toBe(503);
  rmSync(draft, { recursive: true });
  expect((await fetch(`${witness.url}/health`)).status).toBe(200);
  expect((await witness.submit(log, 2, 3)).status).toBe(200);
});

test('the folder is used by one process, its key is private, and missing files are reported', async () => {
  const data = newFolder();
  {
    await using witness = await openWitness(data);
    expect(await run('witness', ...argsOf(data))).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Another process uses the folder'),
    });
    expect((await run('witness', 'key', '--data', data)).stdout).toBe(`${witness.keys.map(toTypedKeyText)}\n`);
    await witness.submit(log, 0, 2);
  }
  const [key, state] = [join(data, 'ed25519.pem'), join(data, 'state.json')];
  expect([key, state].map(path => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  chmodSync(key, 0o644);
  expect(await run('witness', ...argsOf(data))).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('chmod 600'),
  });
  chmodSync(key, 0o600);
  const [keyText, stateText] = [key, state].map(path => readFileSync(path, 'utf8'));
  rmSync(key);
  expect((await run('witness', ...argsOf(data))).stderr).toContain('Bring the key back');
  writeFileSync(key, keyText ?? '', { mode: 0o600 });
  rmSync(state);
  expect((await run('witness', ...argsOf(data))).stderr).toContain('could cosign a fork');
  writeFileSync(state, '{}');
  expect((await run('witness', ...argsOf(data))).stderr).toContain('cannot be read as the state');
  writeFileSync(state, stateText ?? '');
  const renamed = argsOf(data).map(arg => (arg === 'witness.example/w1' ? 'other.example' : arg));
  expect(await run('witness', ...renamed)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('witness.example/w1'),
  });
});

test('a folder that cannot be created and a file in its place are reported with a sentence', async () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  for (const data of [join(root, 'missing', 'folder'), '/proc/nothing', file]) {
    const { code, stderr } = await run('witness', ...argsOf(data));
    expect([code, stderr]).toEqual([4, expect.stringMatching(/^The folder .* cannot be (made|used) \([A-Z]+\)/)]);
  }
});

test('witness key creates the folder once, and requires a name for that', async () => {
  const data = newFolder();
  expect(await run('witness', 'key', '--data', data)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('--name is needed'),
  });
  const first = await run('witness', 'key', '--data', data, '--name', 'w.example');
  expect(parseTypedKey(first.stdout.trim())).toMatchObject({ type: 'COSIGNATURE', name: 'w.example' });
  expect(await run('witness', 'key', '--data', data)).toEqual(first);
});

test('a log is named by its key, or by another origin', () => {
  const quantum = toTypedKeyText(postQuantumSigner('q.example'));
  const parse = (...logs: string[]) => {
    const parsed = parseWitnessCommand(['--data', 'x', ...logs.flatMap(one => ['--log', one])]);
    return parsed.kind === 'serve' ? [...parsed.options.logs].map(([origin, keys]) => [origin, keys.length]) : [];
  };
  expect(parse(logKey)).toEqual([['ledger.example/log', 1]]);
  expect(parse(`${logKey}=go.sum database tree`)).toEqual([['go.sum database tree', 1]]);
  expect(parse(quantum, `${quantum}=ledger.example/log`, logKey)).toEqual([
    ['q.example', 1],
    ['ledger.example/log', 2],
  ]);
  for (const bad of ['a+b+c', `${logKey}=`, toTypedKeyText(testSigner('COSIGNATURE', 'w.example'))])
    expect(() => parse(bad), bad).toThrow('--log must be');
});

test.each([
  [[], '--data is needed'],
  [['--data', 'x'], '--log is needed'],
  [['--data', 'x', '--log', logKey, '--listen', 'here'], '--listen must be an address and a port'],
  [['--data', 'x', '--log', logKey, '--listen', 'localhost:65536'], '--listen must be a number'],
  [['--data', 'x', '--log', logKey, '--name', 'two words'], '--name must be at most 255 bytes'],
  [['--data', 'x', '--log', logKey, '--requests-per-minute', '0'], '--requests-per-minute must be'],
  [['keys', '--data', 'x'], 'there is no command witness keys'],
  [['key', '--data', 'x', '--log', logKey], 'witness key does not take --log'],
])('%j is wrong usage with a sentence', async (args, message) => {
  expect(await run('witness', ...args)).toMatchObject({ code: 64, stderr: expect.stringContaining(message) });
});
