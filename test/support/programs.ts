// What tests start for real is there or not: what needs a program that this machine lacks is left out, and counted.
import { test } from 'vitest';
import { isThere } from '../../scripts/test-programs.mjs';

/** Null when all of them are here, else the sentence that says which are not. */
export function whyNotWith(...programs: readonly string[]): string | null {
  const missing = programs.filter(program => !isThere(program));
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`;
}

/** `test`, where these programs are here. */
export const testWith = (...programs: readonly string[]) => test.skipIf(whyNotWith(...programs) !== null);
