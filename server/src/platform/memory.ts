// How much memory the process takes beside what it needs. Left to itself V8 lets the heap of a busy server grow to several
// times what lives in it, and keeps what only the start needed.
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const settledAfterMs = 2000;

/** Costs about a tenth of the processor where nearly all work is allocation, nothing that can be seen elsewhere. */
export const growSlowly = (): void => setFlagsFromString('--heap-growing-percent=60');

/**
 * The start is free to leave garbage: collecting it meanwhile would be a quarter of its time. It is given back once,
 * soon after, and from then on the heap grows slowly.
 */
export function settleMemory(): void {
  setTimeout(() => {
    flushCompileCache(); // before the flags: what is kept with others is not taken at the next start
    growSlowly();
    setFlagsFromString('--expose-gc');
    const collect: (how: object) => void = runInNewContext('gc');
    collect({ type: 'major', flavor: 'last-resort' });
  }, settledAfterMs).unref();
}
