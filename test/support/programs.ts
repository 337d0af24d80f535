// Availability of programs that tests start: tests that need a missing one are skipped, and counted.
import { test } from 'vitest';
import { isThere } from '../../scripts/test-programs.mjs';

/** Null when all of them are installed, else the message that names the missing ones. */
export function whyNotWith(...programs: readonly string[]): string | null {
  const missing = programs.filter(program => !isThere(program));
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`;
}

/** `test`, where these programs are installed. */
export const testWith = (...programs: readonly string[]) => test.skipIf(whyNotWith(...programs) !== null);
