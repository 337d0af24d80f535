// Command `verify`: exit codes, report formats, arguments, piped originals and wrong usage.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openHome } from '../testing.ts';

const vectors = fileURLToPath(new URL('../../../test/vectors/', import.meta.url));
const file = ['--file', `${vectors}common/plain.bin`];
const otherFile = ['--file', `${vectors}common/another-file.bin`];
const proof = ['--proof', `${vectors}key-none_ok/proof.zip`];
const key = ['--trusted-key', `${vectors}common/issuer.json`];

test('the verdict is the exit code, and the report is the output', async () => {
  await using home = await openHome();
  const run = await home.runHere(['verify', ...file, ...proof, ...key]);
  expect(run).toMatchObject({ code: 3, stderr: '' });
  expect(run.stdout).toContain('Result: INDETERMINATE');
  expect((await home.runHere(['verify', ...otherFile, ...proof, ...key])).code).toBe(2);
  expect((await home.runHere(['verify', ...file, '--proof', home.path])).code).toBe(4);
});

test('the report is JSON with either flag', async () => {
  await using home = await openHome();
  for (const flag of [['--json'], ['--format', 'json']]) {
    const { code, stdout } = await home.runHere(['verify', ...otherFile, ...proof, ...flag]);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 'service-verification-report.v1', outcome: 'INVALID' });
  }
});

test('file and archive are accepted as arguments, as with recordproof-verify', async () => {
  await using home = await openHome();
  const [, filePath = ''] = file;
  const [, proofPath = ''] = proof;
  const run = await home.runHere(['verify', filePath, proofPath, ...key, '--offline', '--max-file-bytes', '1GB']);
  expect([run.code, run.stdout]).toEqual([3, expect.stringContaining('Result: INDETERMINATE')]);
  const twice = await home.runHere(['verify', filePath, proofPath, ...proof]);
  expect([twice.code, twice.stderr]).toEqual([64, expect.stringContaining('the archive is given twice')]);
});

test('the original can be piped in', async () => {
  await using home = await openHome();
  const { code, stdout } = await home.runHere(['verify', '--file', '-', ...proof, '--json'], {
    input: 'something else',
  });
  expect([code, JSON.parse(stdout).summary.computedContentHash]).toEqual([2, expect.stringMatching(/^sha256:/)]);
});

test('wrong usage is reported with the messages of the verifier', async () => {
  await using home = await openHome();
  expect(await home.runHere(['verify', ...file])).toMatchObject({
    code: 64,
    stdout: '',
    stderr: expect.stringContaining('--file and --proof are both needed'),
  });
  expect((await home.runHere(['verify', ...file, ...proof, '--online'])).code).toBe(64);
  expect(
    (await home.runHere(['verify', ...file, ...proof, '--allow-host', 'a', '--allow-host', 'b'])).stderr,
  ).toContain('--allow-host requires --online');
});
