// One GiB through the program and through the service: the right verdict, and bounded memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { mebibyte, trustedKeyPath, writeProof } from '../support/large-proof.ts';
import { runVerifier, startVerifierService, uploadFiles } from '../support/verifier-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'verifier-large-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.runIf(process.platform === 'linux')('a file of 1 GiB', async () => {
  const { original, proof } = await writeProof(folder, 1024 * mebibyte);

  test('uses at most 130 MB in the program', async () => {
    const args = [`--file=${original}`, `--proof=${proof}`, `--trusted-key=${trustedKeyPath}`];
    const { code, peakMebibytes } = await runVerifier(args);
    console.log(`program: peak ${peakMebibytes.toFixed(0)} MiB`);
    expect(code).toBe(3);
    expect(peakMebibytes * mebibyte).toBeLessThan(130e6);
  });

  test('uses at most 200 MB in the service for four at once', async () => {
    await using service = await startVerifierService();
    const files = { original, proof, trustedKey: trustedKeyPath };
    const answers = await Promise.all([1, 2, 3, 4].map(() => uploadFiles(service.url, files)));
    for (const answer of answers) expect(answer).toContain('"outcome": "INDETERMINATE"');
    console.log(`service: peak ${service.peakMebibytes().toFixed(0)} MiB`);
    expect(service.peakMebibytes() * mebibyte).toBeLessThan(200e6);
  });
});
