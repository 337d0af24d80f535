// Code of the workers of the hash pool.
import type { ThreadCode } from './threads.ts';

/** Replaced by the code itself if the program is a single file (scripts/package). */
export const hashWorkerCode = (): ThreadCode => new URL('./hash-worker.ts', import.meta.url);
