import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

/** Replaced by the code itself where the server is one file (scripts/package). */
export const passwordThreadCode = (): ThreadCode => new URL('./password-thread.ts', import.meta.url);
