// V8 heap settings after the start: by default the heap of a busy server grows to several times its live data, and
// keeps memory that only the start needed.
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Costs a tenth of the processor time in pure allocation, nothing measurable elsewhere. */
const slowGrowth = '--heap-growing-percent=60';

/** Later than the first requests of clients that waited for the start of a server; short commands end before. */
const delayMs = 2000;

export const limitHeapGrowthSoon = (): void => void setTimeout(limitHeapGrowth, delayMs).unref();

/**
 * Call after the start, since collecting during it would take a quarter of its time. Returns unused memory at once;
 * from then on the heap grows slowly.
 */
export function limitHeapGrowth(): void {
  flushCompileCache(); // before the flags: a cache written under other flags is rejected at the next start
  setFlagsFromString(slowGrowth);
  setFlagsFromString('--expose-gc');
  const collect: (how: object) => void = runInNewContext('gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
