// The verifier as one file, as an auditor gets it: no clone, no Node, an empty environment.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf, type Packaged, packageProgram } from '../support/packaged.ts';
import { toForm } from '../support/verifier-service.ts';

const vectors = fileURLToPath(new URL('../vectors/', import.meta.url));
const file = `--file=${vectors}common/plain.bin`;
const proof = `--proof=${vectors}key-none_ok/proof.zip`;
const key = `--trusted-key=${vectors}common/issuer.json`;

let verifier: Packaged;
beforeAll(() => {
  verifier = packageProgram('verify');
});
afterAll(() => verifier?.[Symbol.dispose]());

test('the program returns the verdicts, as exit codes and as reports', () => {
  expect(verifier.run([file, proof, key])).toMatchObject({ code: 3, stderr: '' });
  expect(verifier.run([`--file=${vectors}common/another-file.bin`, proof, key]).code).toBe(2);
  expect(verifier.run([file, `--proof=${vectors}common/plain.bin`, key]).code).toBe(4);
  expect(verifier.run(['frobnicate']).code).toBe(64);
  const { stdout } = verifier.run(['verify', file, proof, key, '--format=json']);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'INDETERMINATE', summary: { keySource: 'TRUSTED_FILE' } });
  expect(verifier.leftBehind()).toEqual([]);
});

test('the program contains the page, to serve and to save', async () => {
  const { code, stdout: saved, stderr } = verifier.run(['page']);
  expect([code, stderr]).toEqual([0, '']);
  const service = verifier.start(['serve'], { VERIFIER_PORT: '0' });
  const url = await addressOf(service);
  expect(await (await fetch(`${url}/verifier.html`)).text()).toBe(saved);
  const form = toForm([
    ['original', readFileSync(`${vectors}common/plain.bin`)],
    ['proof', readFileSync(`${vectors}key-none_ok/proof.zip`)],
  ]);
  const report = await (await fetch(`${url}/api/v1/verify`, { method: 'POST', body: form })).json();
  expect(report).toMatchObject({ outcome: 'INDETERMINATE' });
  service.kill('SIGTERM');
  expect(await once(service, 'exit')).toEqual([0, null]);
  expect(verifier.leftBehind()).toEqual([]);
});

test('serve with incomplete settings is rejected with one sentence', () => {
  const { code, stdout, stderr } = verifier.run(['serve'], { VERIFIER_ONLINE_ENABLED: 'true' });
  expect([code, stdout]).toEqual([64, '']);
  expect(stderr).toMatch(/^VERIFIER_ONLINE_ENABLED=true needs [^\n]+\n$/);
});
