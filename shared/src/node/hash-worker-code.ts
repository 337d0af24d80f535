import type { ThreadCode } from './threads.ts';

/** Replaced by the code itself where the program is one file (scripts/package). */
export const hashWorkerCode = (): ThreadCode => new URL('./hash-worker.ts', import.meta.url);
