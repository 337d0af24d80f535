import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

/** Replaced by the code itself where the server is one file (scripts/package). */
export const contentThreadCode = (): ThreadCode => new URL('./content-thread.ts', import.meta.url);
