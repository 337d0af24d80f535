// Folder uploads cut off at each request: every file is stored once, and only changed files are sent again.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Home, openHome } from '../../cli/src/testing.ts';
import { installed } from '../support/installed.ts';
import { type Fault, openTransferServer, type TransferServer } from '../support/transfer-server.ts';

const MiB = 1024 * 1024;
const large = ['w', 'x', 'y', 'z'];
const smallCount = 503;
let server: TransferServer;
let home: Home;

beforeEach(async () => {
  server = await openTransferServer();
  home = await openHome(server);
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const run = (args: readonly string[]) => home.run(args, { env: { RECORDPROOF_TOKEN: server.token } });

const begin = (words: readonly string[]): ChildProcess =>
  spawn(installed.cli.file, [...installed.cli.args, ...words], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home.path,
      RECORDPROOF_SERVER: server.url,
      RECORDPROOF_TOKEN: server.token,
    },
    cwd: home.path,
    stdio: ['ignore', 'ignore', 'inherit'],
  });

const notes = () => readdir(join(home.path, '.local/state/recordproof/uploads'));

/** `files`: the number of the server's files when the call is interrupted. */
type Cut = { readonly call: string; readonly at: number; readonly files?: number };

/** Runs the command until the call is made for the given time, lets the server finish it where it does, and kills. */
async function killAt(words: readonly string[], wanted: Cut, fault: Fault) {
  let seen = 0;
  let hasParts = false;
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  server.fault = call => {
    if (call.startsWith('PUT part')) hasParts = true;
    if (!call.startsWith(wanted.call)) return undefined;
    // Repeated completions of an earlier run's upload are not counted.
    if (call.startsWith('complete') && !hasParts) return undefined;
    if (call.startsWith('complete')) hasParts = false;
    seen += 1;
    if (seen < wanted.at) return undefined;
    resolve();
    return fault;
  };
  const child = begin(words);
  const ended = once(child, 'exit');
  await Promise.race([
    reached,
    ended.then(() => Promise.reject(new Error(`the command ended before ${wanted.call} ${wanted.at}`))),
  ]);
  // The answer never comes: the client does not know what the server has stored.
  if (fault.kind === 'withheld') await expect.poll(() => server.files.size, { timeout: 120_000 }).toBe(wanted.files);
  child.kill('SIGKILL');
  await ended;
  server.fault = () => undefined;
}

async function makeLarge(): Promise<void> {
  await mkdir(join(home.path, 'folder'));
  for (const name of large) await writeFile(join(home.path, 'folder', name), randomBytes(9 * MiB));
}

/** The small ones come first. */
async function makeMixed(): Promise<void> {
  await makeLarge();
  for (let index = 0; index < smallCount; index += 1)
    await writeFile(join(home.path, 'folder', `small-${index}`), `${index}`);
}

const withheld = { kind: 'withheld' } as const;

test.each([
  ['--direct', 'completeDirectUpload'],
  ['--proxied', 'completeUploadSession'],
])('a folder uploaded with %s and killed at many points is stored once', async (mode, completion) => {
  await makeLarge();
  const words = ['upload', 'folder', mode];
  await killAt(words, { call: completion, at: 1, files: 1 }, withheld);
  await killAt(words, { call: completion, at: 1, files: 2 }, withheld);
  await killAt(words, { call: 'PUT part', at: 2 }, { kind: 'reset', afterBytes: 0 });
  await killAt(words, { call: completion, at: 2, files: 4 }, withheld);
  const { files } = JSON.parse((await run([...words, '--json'])).stdout);
  expect(files).toHaveLength(4);
  expect(files.every((file: { status: string; resumed: boolean }) => file.status === 'uploaded' && file.resumed)).toBe(
    true,
  );
  expect(new Set(files.map((file: { fileHash: string }) => file.fileHash)).size).toBe(4);
  expect(server.files.size).toBe(4);
  expect(await notes()).toEqual([]);
});

test('small and large files of a folder are stored once, whichever request is cut off', async () => {
  await makeMixed();
  const words = ['upload', 'folder'];
  await killAt(words, { call: 'uploadMany', at: 2, files: smallCount }, withheld);
  await killAt(words, { call: 'completeDirectUpload', at: 2, files: smallCount + 2 }, withheld);
  await killAt(words, { call: 'completeDirectUpload', at: 1, files: smallCount + 3 }, withheld);
  const { code, stderr } = await run(words);
  expect(code).toBe(0);
  expect(stderr).toContain(`${smallCount + large.length} uploaded`);
  expect(server.files.size).toBe(smallCount + large.length);
  expect(await notes()).toEqual([]);
  // A run that has ended is over: the same command again starts a new one.
  await run(words);
  expect(server.files.size).toBe(2 * (smallCount + large.length));
});

test('changed, deleted and --no-resume files are sent again after a kill', async () => {
  await makeLarge();
  const words = ['upload', 'folder', '--direct'];
  await killAt(words, { call: 'completeDirectUpload', at: 4 }, { kind: 'silence' });
  const [first] = server.files.keys();
  server.files.delete(first ?? '');
  await writeFile(join(home.path, 'folder', 'x'), randomBytes(9 * MiB));
  expect(server.files.size).toBe(2);
  await run(words);
  expect(server.files.size).toBe(2 + 3);
  await killAt(words, { call: 'completeDirectUpload', at: 2 }, { kind: 'silence' });
  await run([...words, '--no-resume']);
  expect(server.files.size).toBe(2 + 3 + 1 + 4);
});

test.each([
  ['prove', ['prove', 'folder', '--no-wait'], 0],
  ['prove --as-one', ['prove', 'folder', '--as-one', '--force', '--no-wait'], 1],
])('a folder of small and large files is stored once by `%s` that is killed', async (_name, words, lists) => {
  await makeMixed();
  await killAt(words, { call: 'uploadMany', at: 2, files: smallCount }, withheld);
  await killAt(words, { call: 'completeDirectUpload', at: 2, files: smallCount + 2 }, withheld);
  await killAt(words, { call: 'completeDirectUpload', at: 1, files: smallCount + 3 }, withheld);
  const { code } = await run(words);
  expect(code).toBe(0);
  expect(server.files.size).toBe(smallCount + large.length + lists);
  expect(await notes()).toEqual([]);
});
