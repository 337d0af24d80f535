import type { ThreadCode } from './threads.ts';

/** Replaced by the code itself where the program is one file (scripts/package). */
export const fileHashThreadCode = (): ThreadCode => new URL('./file-hash-thread.mjs', import.meta.url);
