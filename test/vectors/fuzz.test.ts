// Verification of mutated proofs: none is accepted, crashes the engine or loses a check.
import { expect, test } from 'vitest';
import { fuzzVerifier } from '../support/fuzz-verifier.ts';

const runs = Number(process.env.MUTANTS ?? 1000);

test('no mutated proof is accepted, crashes the engine or loses a check', async () => {
  const { outcomes, wrong } = await fuzzVerifier(0, runs);
  expect(wrong).toEqual([]);
  // The mutations reach past the ZIP: many fail only in what they say.
  expect(outcomes.INVALID).toBeGreaterThan(runs / 10);
  expect(outcomes.ERROR).toBeGreaterThan(runs / 10);
});
