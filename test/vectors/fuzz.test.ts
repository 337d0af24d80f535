import { expect, test } from 'vitest';
import { fuzzVerifier } from '../support/fuzz-verifier.ts';

test('no mutated proof is accepted, crashes the engine or loses a check', async () => {
  const { outcomes, wrong } = await fuzzVerifier(0, 3000);
  expect(wrong).toEqual([]);
  // The mutations reach past the ZIP: many fail only in what they say.
  expect(outcomes.INVALID).toBeGreaterThan(300);
  expect(outcomes.ERROR).toBeGreaterThan(300);
});
