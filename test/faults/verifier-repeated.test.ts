// Repeated verifications of one valid file by the program, several at once, so that its threads are preempted
// everywhere: every run has to find the file unchanged. RUNS=5000 is the long form.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { mebibyte, trustedKeyPath, writeProof } from '../support/large-proof.ts';
import { runVerifier } from '../support/verifier-process.ts';

const runs = Number(process.env.RUNS ?? 30);
const size = Number(process.env.MEBIBYTES ?? 200) * mebibyte;
const atOnce = Number(process.env.AT_ONCE ?? 6);

const folder = mkdtempSync(join(tmpdir(), 'verifier-repeated-'));
afterAll(() => rmSync(folder, { recursive: true }));

test(`an intact file is reported as intact in each of ${runs} verifications`, { timeout: 24 * 3_600_000 }, async () => {
  const { original, proof } = await writeProof(folder, size);
  const args = [`--file=${original}`, `--proof=${proof}`, `--trusted-key=${trustedKeyPath}`];
  /** Exit code → count; offline, a valid file ends with 3. */
  const codes = new Map<number | null, number>();
  let begun = 0;
  let ended = 0;
  async function verifyOneByOne(): Promise<void> {
    while (begun < runs) {
      begun += 1;
      const { code } = await runVerifier(args);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      ended += 1;
      if (ended % 100 === 0 || code !== 3) console.log(`${ended} of ${runs}:`, Object.fromEntries(codes));
    }
  }
  await Promise.all(Array.from({ length: atOnce }, verifyOneByOne));
  expect(Object.fromEntries(codes)).toEqual({ 3: runs });
});
