import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

/** Replaced by the code itself where the program is one file (scripts/package). */
export const blockHashThreadCode = (): ThreadCode => new URL('./block-hash-thread.mjs', import.meta.url);
