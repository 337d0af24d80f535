// The specification read by somebody else: a Python program that shares no code with us gives the same outcome and the
// same code for every check, on every vector and on mutants (MUTANTS=5000 for more).
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { expect } from 'vitest';
import { cannedEvidence } from '../support/canned-evidence.ts';
import { mutateVector } from '../support/fuzz-verifier.ts';
import { testWith } from '../support/programs.ts';
import { listVectors, toRequest, type Vector } from '../support/vectors.ts';

const test = testWith('python3');

const script = fileURLToPath(new URL('check_proof.py', import.meta.url));
const mutants = Number(process.env.MUTANTS ?? 1000);

type Verdict = { outcome: string; codes: Record<string, string> };

const verdictOf = ({ outcome, checks }: VerificationReport): Verdict => ({
  outcome,
  codes: Object.fromEntries(checks.map(({ id, code }) => [id, code])),
});

async function askPython(given: readonly object[]): Promise<Verdict[]> {
  const python = spawn('python3', [script, '--each'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = text(python.stdout);
  python.stdin.on('error', () => {}).end(given.map(line => `${JSON.stringify(line)}\n`).join(''));
  return (await answers)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}

async function askEngine(vector: Vector, archive = toRequest(vector).archive): Promise<Verdict> {
  const live = vector.live === undefined ? {} : { live: cannedEvidence(vector.live) };
  return verdictOf(await verifyProof({ ...toRequest(vector), archive, ...live }, nodePlatform));
}

const toLine = (vector: Vector) => ({
  original: vector.originalPath,
  proof: vector.proofPath,
  trustedKey: vector.trustedKeyPath,
  maxFileBytes: vector.maxFileBytes,
  requireTrustedKey: vector.requireTrustedKey,
  live: vector.live,
});

test('the Python check returns the outcome and the code of every check for every vector', {
  timeout: 120_000,
}, async () => {
  const vectors = listVectors();
  const read = await askPython(vectors.map(toLine));
  expect(read).toHaveLength(vectors.length);
  for (const [at, vector] of vectors.entries()) {
    const { outcome, check, code } = vector.expected;
    expect([vector.name, read[at]?.outcome]).toEqual([vector.name, outcome]);
    if (check !== undefined) expect([vector.name, read[at]?.codes[check]]).toEqual([vector.name, code]);
    expect({ name: vector.name, ...read[at] }).toEqual({ name: vector.name, ...(await askEngine(vector)) });
  }
});

test(`the Python check returns the same for ${mutants} mutants of honest proofs`, {
  tags: 'long',
  timeout: 600_000,
}, async () => {
  const vectors = listVectors();
  const made = Array.from({ length: mutants }, (_, run) => mutateVector(vectors, run));
  const reading = askPython(
    made.map(({ vector, archive }) => ({
      ...toLine(vector),
      proofBase64: Buffer.from(archive).toString('base64'),
    })),
  );
  const outcomes = new Map<string, number>();
  const verdicts: Verdict[] = [];
  for (const { vector, archive } of made) verdicts.push(await askEngine(vector, archive));
  const read = await reading;
  for (const [run, own] of verdicts.entries()) {
    expect({ run, ...read[run] }).toEqual({ run, ...own });
    outcomes.set(own.outcome, (outcomes.get(own.outcome) ?? 0) + 1);
  }
  // The mutations reach everywhere: into the ZIP, into the JSON, and past both.
  expect(outcomes.get('INVALID')).toBeGreaterThan(mutants / 10);
  expect(outcomes.get('ERROR')).toBeGreaterThan(mutants / 10);
});
