// Command line of the verifier: arguments, reports, colours, progress and exit codes.
import { spawnSync } from 'node:child_process';
import { copyFileSync, createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { testWith } from '../../test/support/programs.ts';
import { main } from './cli.ts';
import { withProgress } from './node/read-inputs.ts';

const vectors = fileURLToPath(new URL('../../test/vectors/', import.meta.url));
const launcher = fileURLToPath(new URL('../bin/recordproof-verify.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const plain = `--file=${vectors}common/plain.bin`;
const proof = `--proof=${vectors}key-none_ok/proof.zip`;
const key = `--trusted-key=${vectors}common/issuer.json`;

async function run(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const code = await main(args, {
    stdin: createReadStream(`${vectors}common/plain.bin`),
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
  });
  return { code, ...written };
}

test('the command may be named or left out', async () => {
  expect((await run(plain, proof, key)).code).toBe(3);
  expect((await run('verify', plain, proof, key)).code).toBe(3);
});

test('the original may come from standard input', async () => {
  const { code, stdout } = await run('--file=-', proof, key, '--all');
  expect(code).toBe(3);
  expect(stdout).toContain('passed  content.chunk-hashes');
});

test('the report for people ends with the verdict and what to do next, on one screen', async () => {
  for (const [args, reason, sentence] of [
    [[plain, proof], 'TRUSTED_KEY_MISSING', 'No trusted key was given, so it is not known who signed this.'],
    [
      [plain, proof, `--trusted-key=${vectors}common/issuer-v2.json`],
      'TRUSTED_KEY_OTHER',
      'The proof is signed by a key that you do not trust.',
    ],
    [[plain, proof, key], 'OFFLINE', 'The file is the recorded one and the key is right;'],
  ] as const) {
    const { code, stdout } = await run(...args);
    const lines = stdout.split('\n');
    const screen = lines.slice(-24).join('\n');
    expect([code, stdout.split('\n')[0]]).toEqual([3, 'RecordProof verification report']);
    expect(screen).toContain(`Result: INDETERMINATE\n        ${sentence}`);
    for (const part of ['What this means.', 'What it does not mean.', 'What to do next:'])
      expect(screen).toContain(part);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(line.includes(' ') ? 90 : 100);
    expect(JSON.parse((await run(...args, '--format=json')).stdout).reason).toBe(reason);
  }
});

test('checks that passed are counted, and shown on request', async () => {
  expect((await run(plain, proof, key)).stdout).not.toContain('passed  merkle.path');
  expect((await run(plain, proof, key)).stdout).toContain('Checks: 19 of 21 passed; --all shows each');
  expect((await run(plain, proof, key, '--all')).stdout).toContain('passed  merkle.path');
});

test('a terminal is shown the verdict in colour, everything else in plain text', async () => {
  let stdout = '';
  await main([plain, proof, key], {
    stdin: (async function* () {})(),
    stdout: { isTTY: true, write: (text: string) => (stdout += text) },
    stderr: { write: () => true },
  });
  expect(stdout).toContain('Result: \u001b[1;33mINDETERMINATE\u001b[0m');
  expect((await run(plain, proof, key)).stdout).not.toContain('\u001b');
});

test('a file alone is checked against the archive beside it, and a mistyped path is named', async () => {
  const file = join(folder, 'report.bin');
  copyFileSync(`${vectors}common/plain.bin`, file);
  expect(await run(file)).toMatchObject({ code: 64, stderr: expect.stringContaining(`there is no ${file}.proof.zip`) });
  copyFileSync(`${vectors}key-none_ok/proof.zip`, `${file}.proof.zip`);
  expect((await run(file, key)).code).toBe(3);
  expect(await run(`${file}x`)).toMatchObject({ code: 64, stderr: expect.stringContaining(`no file ${file}x`) });
  const { code, stdout, stderr } = await run(`--file=${file}`, '--proof=/none/a.zip');
  expect([code, stderr, stdout.includes('/none')]).toEqual([4, 'There is no file /none/a.zip\n', false]);
});

test('a failed check shows what was expected and what was found', async () => {
  const { code, stdout } = await run(`--file=${vectors}common/another-file.bin`, proof, key);
  expect(code).toBe(2);
  expect(stdout).toMatch(/FAILED {2}content\.original: .*\n {12}code: CONTENT_HASH_MISMATCH\n {12}expected: sha256:/);
});

test('files that cannot be read are an ERROR with a complete report', async () => {
  for (const args of [
    ['--file=/none', proof, key],
    [plain, '--proof=/none', key],
    [plain, proof, '--trusted-key=/none'],
    [plain, `--proof=${folder}`, key],
  ]) {
    const { code, stdout } = await run(...args, '--format=json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout).checks).toHaveLength(21);
    expect(stdout).not.toContain('/none');
    const text = (await run(...args)).stdout;
    expect(text.slice(text.indexOf('What to do next'))).toMatch(
      /^.*\n- Check that the file names are correct.*\n.*\n$/,
    );
  }
});

test('an original over the limit is an ERROR', async () => {
  const { code, stdout } = await run(plain, proof, key, '--max-file-bytes=2499');
  expect(code).toBe(4);
  expect(stdout).toContain('ORIGINAL_TOO_LARGE');
  expect((await run(plain, proof, key, '--max-file-bytes=2500')).code).toBe(3);
});

test('wrong use is 64, on standard error, without a report', async () => {
  for (const args of [['frobnicate'], [plain], [plain, proof, '--online']]) {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain('Try recordproof-verify verify --help');
  }
});

test('help and version go to standard output', async () => {
  expect((await run('--help')).stdout).toContain('Exit codes: 0 VALID, 2 INVALID, 3 INDETERMINATE, 4 ERROR, 64');
  for (const command of ['verify', 'certificate', 'serve', 'page', 'gateway']) {
    const { code, stdout, stderr } = await run(command, '--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`recordproof-verify ${command === 'verify' ? '[verify]' : command}`);
  }
  expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('progress shows on a terminal only, and is wiped', async () => {
  async function* blocks(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 3; i++) yield new Uint8Array(50 * 1024 * 1024);
  }
  for (const isTTY of [true, false]) {
    let shown = '';
    const stderr = { isTTY, write: (text: string) => (shown += text) };
    let size = 0;
    for await (const block of withProgress(blocks(), 150 * 1024 * 1024, stderr)) size += block.length;
    expect(size).toBe(150 * 1024 * 1024);
    if (isTTY) expect([shown.includes('66 %'), shown.endsWith('\r\u001b[K')]).toEqual([true, true]);
    else expect(shown).toBe('');
  }
});

test('the program itself exits with the verdict', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, plain, proof, key, '--format=json'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([3, '']);
  expect(JSON.parse(stdout).outcome).toBe('INDETERMINATE');
});

testWith('strace')('offline, the kernel sees no attempt to connect to anything', () => {
  const trace = join(folder, 'trace');
  const calls = 'trace=connect,bind,listen,sendto,sendmsg';
  const args = ['-f', '-qq', '-e', calls, '-o', trace, process.execPath, launcher, plain, proof, key];
  expect(spawnSync('strace', args, { encoding: 'utf8' }).status).toBe(3);
  const seen = readFileSync(trace, 'utf8')
    .split('\n')
    .filter(line => /\b(connect|bind|listen|sendto|sendmsg)\(/.test(line));
  expect(seen).toEqual([]);
});
