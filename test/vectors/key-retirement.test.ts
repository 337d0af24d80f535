// Frozen certificates of key retirement, their items files, and the example in key-retirement.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { main } from '@recordproof/verifier/cli.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { checkRetirement } from '@recordproof/verifier/retirement/check-retirement.ts';
import { expect, onTestFinished, test } from 'vitest';
import { readText } from '../support/spec-examples.ts';
import { listRetirementCases, type RetirementCase } from './make/retirement-cases.ts';

const frozen = readFileSync(new URL('key-retirement.json', import.meta.url), 'utf8');
const cases: RetirementCase[] = JSON.parse(frozen);

async function* inBlocks(text: string, size: number) {
  for (let from = 0; from < text.length; from += size) yield toUtf8(text.slice(from, from + size));
}

test('the current code generates the frozen certificates unchanged', async () => {
  expect(`${JSON.stringify(await listRetirementCases(), null, 2)}\n`).toBe(frozen);
});

test.each(cases)('$name', async ({ document, items, trustedKey, outcome, check, code }) => {
  for (const size of [1, 100, 1_000_000]) {
    const report = await checkRetirement(
      {
        document: toUtf8(document),
        ...(trustedKey !== undefined && { trustedKey: toUtf8(trustedKey) }),
        ...(items !== undefined && { items: inBlocks(items, size) }),
      },
      nodePlatform,
    );
    const open = report.checks.filter(({ status }) => status !== 'PASS').map(({ id }) => id);
    expect(report.outcome).toBe(outcome);
    expect(open).toEqual(check === undefined ? [] : expect.arrayContaining([check]));
    expect(report.checks.find(({ id }) => id === check)?.code).toBe(code);
  }
});

test('a missing items file is named, and the certificate is not reported as VALID', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-retirement-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const certificate = join(folder, 'retirement.json');
  writeFileSync(certificate, cases[0]?.document ?? '');
  const absent = join(folder, 'items.ndjson');
  let [stdout, stderr] = ['', ''];
  const code = await main(['certificate', certificate, '--items', absent], {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  });
  expect([code, stderr]).toEqual([4, `There is no file ${absent}\n`]);
  expect(stdout).toMatch(/items\.digest +ERROR/);
});

test('key-retirement.md shows the valid certificate', () => {
  const [sound] = cases;
  expect(readText('key-retirement.md', 'certificate')).toBe(sound?.document);
  expect(readText('key-retirement.md', 'items')).toBe(sound?.items);
  expect(readText('key-retirement.md', 'issuer key')).toBe(`${sound?.trustedKey}\n`);
});
