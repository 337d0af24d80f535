import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

/** Replaced by the code itself where the server is one file (scripts/package). */
export const intakeThreadCode = (): ThreadCode => new URL('./intake-thread.ts', import.meta.url);
