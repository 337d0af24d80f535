// Code of the thread that hashes blocks.
import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

/** Replaced by the code itself if the program is a single file (scripts/package). */
export const blockHashThreadCode = (): ThreadCode => new URL('./block-hash-thread.mjs', import.meta.url);
