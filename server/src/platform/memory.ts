// How much memory the process takes beside what it needs. Left to itself V8 lets the heap of a busy server grow to several
// times what lives in it, and keeps what only the start needed.
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Costs about a tenth of the processor where nearly all work is allocation, nothing that can be seen elsewhere. */
const slowGrowth = '--heap-growing-percent=60';

/**
 * For a program that has started: to collect while it does would be a quarter of the time that takes. What it left is given
 * back at once, and from then on the heap grows slowly.
 */
export function settleMemory(): void {
  flushCompileCache(); // before the flags: what is kept with others is not taken at the next start
  setFlagsFromString(slowGrowth);
  setFlagsFromString('--expose-gc');
  const collect: (how: object) => void = runInNewContext('gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
