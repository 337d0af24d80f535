// Every frozen vector through the engine and through the command line, offline and against served answers.
import { existsSync } from 'node:fs';
import { main } from '@recordproof/verifier/cli.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { exitCodes } from '@recordproof/verifier/shell/exit-codes.ts';
import { checkCodes, checkIds } from '@recordproof/verifier/verify/check-codes.ts';
import { reportSchema, type VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { listVectors, serveVectors, toRequest, type Vector } from '../support/vectors.ts';

const vectors = listVectors();
const served = await serveVectors(vectors);
afterAll(() => served[Symbol.asyncDispose]());

async function runCli(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const code = await main(args, {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
  });
  return { code, ...written };
}

const argumentsOf = (vector: Vector): string[] => [
  `--file=${vector.originalPath}`,
  `--proof=${vector.proofPath}`,
  ...(vector.trustedKeyPath === undefined ? [] : [`--trusted-key=${vector.trustedKeyPath}`]),
  ...(vector.requireTrustedKey ? ['--require-trusted-key'] : []),
  `--max-file-bytes=${vector.maxFileBytes}`,
  ...(vector.live === undefined ? [] : served.onlineArguments(vector.name)),
];

function expectReport(report: VerificationReport, vector: Vector): void {
  expect(report.schemaVersion).toBe(reportSchema);
  expect(report.checks.map(check => check.id)).toEqual(checkIds);
  const { check: id, code, outcome } = vector.expected;
  if (id !== undefined) {
    const check = report.checks.find(check => check.id === id);
    expect(`${check?.status} ${check?.code}`).toMatch(new RegExp(`^(FAIL|ERROR|INDETERMINATE) ${code}$`));
  }
  expect(
    report.outcome,
    JSON.stringify(
      report.checks.filter(check => check.status !== 'PASS'),
      null,
      1,
    ),
  ).toBe(outcome);
}

test('there are enough vectors of every kind', () => {
  const count = (prefix: string) => vectors.filter(vector => vector.name.startsWith(prefix)).length;
  expect(vectors.length).toBeGreaterThanOrEqual(120);
  expect(count('zip-')).toBeGreaterThanOrEqual(40);
  expect(count('json-')).toBeGreaterThanOrEqual(30);
});

/** Only a connection can end like this, and guarded-get.test.ts makes it; no answer can be written down for it. */
const ofConnections = [
  'SCHEME_REFUSED',
  'HOST_NOT_ALLOWED',
  'ADDRESS_REFUSED',
  'NAME_NOT_RESOLVED',
  'CONNECTION_FAILED',
  'TIMED_OUT',
  'UNAVAILABLE',
]
  .flatMap(failure => ['KEY', 'STATUS', 'CHAIN', 'LEDGER'].map(subject => `${subject}_${failure}`))
  .concat('LEDGER_MEDIA_TYPE_REFUSED', 'LEDGER_ANSWER_TOO_LARGE');

test('every code of every check has a vector', () => {
  const expected = new Set(
    vectors.map(({ expected: { check, code } }) => `${check?.replace(/^json\..*/, 'json')} ${code}`),
  );
  const codes = checkIds.flatMap(id =>
    Object.keys(checkCodes[id])
      .filter(code => !ofConnections.includes(code))
      .map(code => `${id.replace(/^json\..*/, 'json')} ${code}`),
  );
  expect([...new Set(codes)].filter(code => !expected.has(code))).toEqual([]);
});

test('only vectors with live answers expect VALID', () => {
  for (const vector of vectors) if (vector.expected.outcome === 'VALID') expect(vector.live).toBeDefined();
});

describe.each(vectors.map(vector => [vector.name, vector] as const))('%s', (_, vector) => {
  test(vector.why, async () => {
    const { code, stdout, stderr } = await runCli([...argumentsOf(vector), '--format=json']);
    const report = JSON.parse(stdout) as VerificationReport;
    expectReport(report, vector);
    expect(code).toBe(exitCodes[report.outcome]);
    const named = [vector.originalPath, vector.proofPath, vector.trustedKeyPath ?? '.'];
    expect(stderr).toBe(
      named
        .filter(path => !existsSync(path))
        .map(path => `There is no file ${path}\n`)
        .join(''),
    );
  });
});

test('without live answers no vector reaches more than INDETERMINATE', async () => {
  const outcomes = new Set<string>();
  for (const vector of vectors) {
    const report = await verifyProof(toRequest(vector), nodePlatform);
    outcomes.add(report.outcome);
    if (vector.live === undefined) expectReport(report, vector);
  }
  expect([...outcomes].sort()).toEqual(['ERROR', 'INDETERMINATE', 'INVALID']);
});

test('only the rebuilt manifest detects an old leaf signed over a new file', async () => {
  const vector = vectors.find(item => item.name === 'chunks-leaf-of-other-file_fail');
  if (vector === undefined) throw new Error('the vector is missing');
  const report = JSON.parse((await runCli([...argumentsOf(vector), '--format=json'])).stdout) as VerificationReport;
  expect(report.checks.filter(check => check.status === 'FAIL').map(check => check.id)).toEqual(['chunks.contract']);
});

test('a local failure sends no request', () => {
  expect(served.asked.filter(url => url.startsWith('/live-local-'))).toEqual([]);
  expect(served.asked.filter(url => url.includes('elsewhere'))).toEqual([]);
});

test('no report contains text from untrusted input', async () => {
  for (const vector of vectors.filter(
    vector => vector.name.startsWith('json-') || vector.name.startsWith('keyfile-'),
  )) {
    const { stdout } = await runCli(argumentsOf(vector));
    for (const word of ['zone', 'ROT13', 'NaN', '__proto__', 'PUBLIC KEY']) expect(stdout).not.toContain(word);
  }
});
