// Code of the threads that store chunks.
import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

/** Replaced by the bundled code in the packaged server (scripts/package). */
export const intakeThreadCode = (): ThreadCode => new URL('./intake-thread.ts', import.meta.url);
