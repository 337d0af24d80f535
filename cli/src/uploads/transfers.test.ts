// Uploads and downloads on the command line: folders, pipes, large sets, kills, resumption, damage and exit codes.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installed } from '../../../test/support/installed.ts';
import { openTransferServer, type TransferServer } from '../../../test/support/transfer-server.ts';
import { type Home, openHome } from '../testing.ts';

const MiB = 1024 * 1024;
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

const run = (args: readonly string[], input?: string) =>
  home.runHere(args, { env: { RECORDPROOF_TOKEN: server.token }, ...(input !== undefined && { input }) });

const environment = () => ({
  PATH: process.env.PATH ?? '',
  HOME: home.path,
  RECORDPROOF_SERVER: server.url,
  RECORDPROOF_TOKEN: server.token,
});

const begin = (words: readonly string[]): ChildProcess =>
  spawn(installed.cli.file, [...installed.cli.args, ...words], { env: environment(), cwd: home.path, stdio: 'ignore' });

async function makeFile(name: string, size: number): Promise<Buffer> {
  const bytes = randomBytes(size);
  await writeFile(join(home.path, name), bytes);
  return bytes;
}

const sha = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const partCalls = (): string[] => server.calls.filter(call => call.startsWith('PUT part'));

async function uploadOne(name: string, ...flags: string[]): Promise<{ fileHash: string; fileId: string }> {
  const { stdout } = await run(['upload', name, '--json', ...flags]);
  return JSON.parse(stdout).files[0];
}

test('a name that is not UTF-8 is reported, alone and in a folder, and the others are uploaded', async () => {
  await mkdir(join(home.path, 'mixed'));
  await makeFile('mixed/good.txt', 10);
  await writeFile(Buffer.concat([Buffer.from(join(home.path, 'mixed/bad')), Buffer.of(0xff)]), 'bytes');
  const folder = await run(['upload', 'mixed']);
  expect(folder.code).not.toBe(0);
  expect(folder.stderr).toContain('its name is not UTF-8, so that it cannot be opened; rename it');
  expect(folder.stderr).toContain('1 failed');
  expect(folder.stdout).toContain('mixed/good.txt');
  const alone = await run(['upload', 'mixed/bad\ufffd']);
  expect(alone.code).toBe(64);
  expect(alone.stderr).toContain('its name is not UTF-8');
});

test('a file is uploaded and downloaded unchanged, in chunks of the recommended size', async () => {
  const bytes = await makeFile('report.pdf', 5 * MiB + 3);
  const up = await run(['upload', 'report.pdf', '--json']);
  expect(up).toMatchObject({ code: 0, stderr: '' });
  const report = JSON.parse(up.stdout);
  expect(report).toMatchObject({
    failed: 0,
    ending: 'ok',
    files: [{ name: 'report.pdf', status: 'uploaded', contentHash: sha(bytes), bytes: bytes.length, resumed: false }],
  });
  expect(partCalls()).toHaveLength(3);

  const down = await run(['download', report.files[0].fileHash, '--output', 'back/']);
  expect(down.code).toBe(0);
  expect(down.stderr).toContain('1 downloaded and proven');
  expect((await readFile(join(home.path, 'back', 'report.pdf'))).equals(bytes)).toBe(true);
});

test('many small files are sent in one request, which is repeated with its id after a lost response', async () => {
  await mkdir(join(home.path, 'notes'));
  for (let index = 0; index < 30; index += 1) await makeFile(`notes/${index}`, 100 + index);
  server.fault = (call, count) => (call === 'uploadMany' && count === 1 ? { kind: 'lost-answer' } : undefined);
  const { code, stdout } = await run(['upload', 'notes', '--json']);
  expect(code).toBe(0);
  expect(new Set(JSON.parse(stdout).files.map((file: { fileId: string }) => file.fileId)).size).toBe(30);
  expect(server.calls.filter(call => call === 'uploadMany')).toHaveLength(2);
  expect(server.sessions.size).toBe(30);
});

test('a run killed while it sends many files stores none of them twice', { tags: 'long' }, async () => {
  await mkdir(join(home.path, 'notes'));
  for (let index = 0; index < 5; index += 1) await makeFile(`notes/${index}`, 100 + index);
  const killed = new Promise<void>(resolve => {
    server.fault = call => {
      if (call !== 'uploadMany') return undefined;
      resolve();
      return { kind: 'withheld' };
    };
  });
  const child = begin(['upload', 'notes']);
  await killed;
  await expect.poll(() => server.files.size, { timeout: 120_000 }).toBe(5);
  child.kill('SIGKILL');
  await once(child, 'exit');
  server.fault = () => undefined;
  expect((await run(['upload', 'notes'])).stderr).toContain('5 uploaded');
  expect(server.files.size).toBe(5);
});

test('a file changed during the upload is rejected alone', { tags: 'long' }, async () => {
  await mkdir(join(home.path, 'notes'));
  for (const name of ['a', 'b', 'c']) await makeFile(`notes/${name}`, 1000);
  server.fault = call => {
    if (call === 'uploadMany') return { kind: 'status', status: 429, retryAfter: 1 };
    return undefined;
  };
  const child = begin(['upload', 'notes']);
  await expect.poll(() => server.calls, { timeout: 120_000 }).toContain('uploadMany');
  await makeFile('notes/b', 900);
  server.fault = () => undefined;
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect([...server.files.values()].map(({ view }) => view.fileName).sort()).toEqual(['a', 'c']);
});

test('proxied uploads are sent through the server', async () => {
  await makeFile('a', 3 * MiB);
  expect((await run(['upload', 'a', '--proxied'])).code).toBe(0);
  expect([...server.sessions.values()].map(session => session.direct)).toEqual([false]);
  expect((await run(['upload', 'a', '--proxied', '--direct'])).code).toBe(64);
});

test('folders and patterns are expanded; links in them are skipped and reported', async () => {
  await mkdir(join(home.path, 'photos', 'old'), { recursive: true });
  for (const name of ['photos/1.png', 'photos/old/2.png', 'x.log', 'y.log']) await makeFile(name, 100);
  await symlink('/etc/hostname', join(home.path, 'photos', 'link'));
  await symlink('/etc/hostname', join(home.path, 'z.log'));
  const { code, stdout, stderr } = await run(['upload', 'photos', '*.log', '--json']);
  expect(code).toBe(0);
  const names = JSON.parse(stdout).files.map((file: { name: string }) => file.name);
  expect(names).toEqual(['photos/1.png', 'photos/old/2.png', 'x.log', 'y.log']);
  expect(stderr).toContain('photos/link');
  expect(stderr).toContain('z.log');
});

test('a file that cannot be uploaded is reported, others are uploaded, and the command fails', async () => {
  await makeFile('good', 100);
  await makeFile('empty', 0);
  const { code, stdout, stderr } = await run(['upload', 'empty', 'good', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ failed: 1, files: [{ status: 'failed' }, { status: 'uploaded' }] });
  expect(stderr).toContain('empty');
  const again = await run(['upload', 'empty', 'good']);
  expect(again.stderr).toContain('1 uploaded (100 B), 1 empty, which proves nothing: empty');
  expect((await run(['upload', 'nowhere'])).code).toBe(64);
  expect((await run(['upload', '/dev/null'])).code).toBe(64);
});

test('a pipe is uploaded under the given name, and leaves no temporary file', async () => {
  expect((await run(['upload', '-'], 'words')).code).toBe(64);
  const { code, stdout } = await run(['upload', '-', '--name', 'words.txt', '--json'], 'words');
  expect(code).toBe(0);
  expect(JSON.parse(stdout).files[0]).toMatchObject({ name: 'words.txt', contentHash: sha(Buffer.from('words')) });
  expect(await readdir(join(home.path, '.local/state/recordproof/spool'))).toEqual([]);
  const { fileHash } = JSON.parse(stdout).files[0];
  expect(await run(['download', fileHash, '--output', '-'])).toMatchObject({ code: 0, stdout: 'words' });
});

test('an empty pipe is rejected with a message about the pipe', async () => {
  const { code, stderr } = await run(['upload', '-', '--name', 'words.txt'], '');
  expect(code).toBe(1);
  expect(stderr).toContain('nothing was piped in');
  expect(stderr).not.toContain('spool');
});

test('temporary files of killed runs are deleted after two days', async () => {
  const spool = join(home.path, '.local/state/recordproof/spool');
  await mkdir(spool, { recursive: true });
  for (const name of ['old.piped', 'new.piped']) await writeFile(join(spool, name), 'words');
  const threeDaysAgo = new Date(Date.now() - 3 * 24 * 3600_000);
  await utimes(join(spool, 'old.piped'), threeDaysAgo, threeDaysAgo);
  await run(['upload', '-', '--name', 'words.txt'], 'words');
  expect(await readdir(spool)).toEqual(['new.piped']);
});

test('with --skip-existing equal bytes are stored once', async () => {
  await makeFile('a', 1000);
  const first = await uploadOne('a');
  const again = JSON.parse((await run(['upload', 'a', '--skip-existing', '--json'])).stdout);
  expect(again.files[0]).toMatchObject({ status: 'exists', fileHash: first.fileHash });
  expect(server.files.size).toBe(1);
});

test('--version-of uploads a new version of a file', async () => {
  await makeFile('a', 1000);
  const { fileId } = await uploadOne('a');
  await makeFile('a', 1000);
  const second = await uploadOne('a', '--version-of', fileId);
  expect(second).toMatchObject({ version: 2 });
  const { stdout } = await run(['files', 'versions', second.fileHash]);
  expect(stdout.split('\n').filter(line => line.includes('v'))).toHaveLength(2);
});

test('an upload of a killed run is resumed, not restarted', async () => {
  const bytes = await makeFile('big', 12 * MiB);
  for (let round = 0; round < 2; round++) {
    const before = partCalls().length;
    const killed = new Promise<void>(resolve => {
      server.fault = call => {
        if (!call.startsWith('PUT part') || partCalls().length < before + 2) return undefined;
        child.kill('SIGKILL');
        resolve();
        return { kind: 'reset', afterBytes: 0 };
      };
    });
    const child = begin(['upload', 'big', '--jobs', '1']);
    await killed;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  server.fault = () => undefined;
  expect(server.sessions.size).toBe(1);
  expect(JSON.parse((await run(['uploads', 'list', '--json'])).stdout)).toMatchObject([
    { fileName: 'big', path: join(home.path, 'big'), status: 'UPLOADING' },
  ]);
  const { stdout } = await run(['upload', 'big', '--resume', '--json']);
  expect(JSON.parse(stdout).files[0]).toMatchObject({ resumed: true, contentHash: sha(bytes) });
  expect(server.sessions.size).toBe(1);
  expect(existsSync(join(home.path, '.local/state/recordproof/uploads'))).toBe(true);
  expect(await readdir(join(home.path, '.local/state/recordproof/uploads'))).toEqual([]);
});

test('a file with a name of its own is reported under the name that it was stored under', async () => {
  await makeFile('r15', 10);
  const { stdout, code } = await run(['upload', 'r15', '--name', 'r15-1']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^uploaded .* r15-1$/m)]);
});

test('a reader that closes the pipe ends a download quietly', { tags: 'long' }, async () => {
  await makeFile('big.bin', 5 * MiB);
  const { fileHash } = await uploadOne('big.bin');
  const words = [...installed.cli.args, 'download', fileHash, '--output', '-'];
  const child = spawn(installed.cli.file, words, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const said = text(child.stderr);
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(await said).toBe('');
});

test('a download of a killed run resumes, and an incomplete file is never visible', { tags: 'long' }, async () => {
  const bytes = await makeFile('big', 12 * MiB);
  const { fileHash } = await uploadOne('big');
  const killed = new Promise<void>(resolve => {
    server.fault = call => {
      if (call !== 'downloadFile') return undefined;
      // All bytes but the last ones are sent, then nothing more.
      setImmediate(resolve);
      return { kind: 'stall', afterBytes: 8 * MiB };
    };
  });
  const child = begin(['download', fileHash, '--output', 'back']);
  await killed;
  const draft = async () => (await readdir(home.path)).find(name => name.endsWith('.part'));
  await expect.poll(draft).toBeDefined();
  const size = async () => (await readFile(join(home.path, (await draft()) ?? ''))).length;
  await expect.poll(size).toBeGreaterThanOrEqual(6 * MiB);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(join(home.path, 'back'))).toBe(false);
  server.fault = () => undefined;
  const { stdout, code } = await run(['download', fileHash, '--output', 'back', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).files[0].resumedBytes).toBeGreaterThanOrEqual(5 * MiB);
  expect((await readFile(join(home.path, 'back'))).equals(bytes)).toBe(true);
});

test('Ctrl-C ends in order, and the same command resumes', { tags: 'long' }, async () => {
  const bytes = await makeFile('big', 12 * MiB);
  server.fault = call => {
    if (call === 'PUT part 1') child.kill('SIGINT');
    return undefined;
  };
  const child = begin(['upload', 'big', '--jobs', '1']);
  expect(await once(child, 'exit')).toEqual([130, null]);
  server.fault = () => undefined;
  expect(await uploadOne('big')).toMatchObject({ resumed: true, contentHash: sha(bytes) });
});

test('damage ends with its own exit code and leaves no file', async () => {
  await makeFile('a', 100_000);
  const { fileHash } = await uploadOne('a');
  server.fault = () => ({ kind: 'flip', at: 50_000 });
  const { code, stderr } = await run(['download', fileHash, '-o', 'back']);
  expect(code).toBe(65);
  expect(stderr).toContain('chunk 0');
  expect(existsSync(join(home.path, 'back'))).toBe(false);
});

test('an existing file is only replaced with --force', async () => {
  await makeFile('a', 1000);
  const { fileHash } = await uploadOne('a');
  const rejected = await run(['download', fileHash]);
  expect(rejected.code).toBe(64);
  expect(rejected.stderr).toContain('--force');
  expect((await run(['download', fileHash, '--force'])).code).toBe(0);
});

test('files are listed, found, shown, counted and deleted', async () => {
  await makeFile('alpha.txt', 1000);
  const { fileHash } = await uploadOne('alpha.txt');
  expect((await run(['files', 'list'])).stdout).toContain('alpha.txt');
  expect((await run(['files', 'search', 'alp', '--wide'])).stdout).toContain(fileHash);
  expect((await run(['files', 'search', 'nothing'])).stderr).toBe('no files\n');
  const [dayBefore, day] = ['2026-01-30', '2026-01-31']; // it was stored at noon
  expect((await run(['files', 'search', 'alp', '--since', day, '--until', day, '--wide'])).stdout).toContain(fileHash);
  expect((await run(['files', 'search', 'alp', '--until', dayBefore])).stderr).toBe('no files\n');
  expect((await run(['download', fileHash, '--output', 'nowhere/a'])).code).toBe(64);
  expect((await run(['files', 'info', fileHash])).stdout).toContain('1000 bytes');
  expect((await run(['files', 'stats'])).stdout).toContain('files');
  expect((await run(['files', 'quota'])).stdout).toContain('1.0 KiB of 4.0 KiB');
  expect((await run(['completion', 'values', 'files'])).stdout).toMatch(/^\d+\talpha\.txt\nalpha\.txt\t$/m);
  for (const known of [fileHash.slice(0, 8), 'alpha.txt', 'ALPHA.TXT'])
    expect(JSON.parse((await run(['files', 'info', known, '--json'])).stdout), known).toMatchObject({ fileHash });
  const twin = await uploadOne('alpha.txt', '--no-resume');
  const unclear = await run(['download', 'alpha.txt']);
  expect(unclear).toMatchObject({ code: 64, stderr: expect.stringContaining('could be any of 2 files') });
  expect(unclear.stderr).toContain(`(${fileHash.slice(0, 12)}, v1 of `);
  expect((await run(['files', 'rm', twin.fileId, '--yes'])).code).toBe(0);
  const ghost = await run(['files', 'info', 'ghost.txt']);
  expect(ghost).toMatchObject({ code: 1, stderr: expect.stringContaining('you have no file "ghost.txt"') });
  expect((await run(['files', 'rm', fileHash])).code).toBe(64);
  expect(server.files.size).toBe(1);
  expect((await run(['files', 'rm', fileHash, '--yes'])).code).toBe(0);
  expect(server.files.size).toBe(0);
  expect((await run(['files', 'info', fileHash])).code).toBe(1);
});

test('an upload is paused, resumed and cancelled by its id', { tags: 'long' }, async () => {
  const bytes = await makeFile('big', 12 * MiB);
  server.fault = call => {
    if (call === 'PUT part 1') child.kill('SIGKILL');
    return undefined;
  };
  const child = begin(['upload', 'big', '--jobs', '1', '--proxied']);
  await once(child, 'exit');
  server.fault = () => undefined;
  const [id = ''] = [...server.sessions.keys()];
  expect((await run(['uploads', 'pause', id])).stderr).toContain('PAUSED');
  expect((await run(['uploads', 'list'])).stdout).toContain('PAUSED');
  const resumed = JSON.parse((await run(['uploads', 'resume', id, '--json'])).stdout);
  expect(resumed).toMatchObject({ status: 'uploaded', resumed: true, contentHash: sha(bytes) });

  server.fault = call => (call.startsWith('PUT') ? { kind: 'status', status: 401 } : undefined);
  await run(['upload', 'big', '--proxied']);
  server.fault = () => undefined;
  const [other = ''] = [...server.sessions.values()].filter(({ result }) => !result).map(({ clientId }) => clientId);
  expect((await run(['uploads', 'cancel', other])).stderr).toContain('was cancelled');
  expect((await run(['uploads', 'list'])).stderr).toBe('no unfinished uploads\n');
});
