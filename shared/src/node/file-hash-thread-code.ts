// Code of the thread that hashes a file.
import type { ThreadCode } from './threads.ts';

/** Replaced by the code itself if the program is a single file (scripts/package). */
export const fileHashThreadCode = (): ThreadCode => new URL('./file-hash-thread.mjs', import.meta.url);
