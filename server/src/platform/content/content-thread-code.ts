// Code of the threads that read stored objects.
import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

/** Replaced by the bundled code in the packaged server (scripts/package). */
export const contentThreadCode = (): ThreadCode => new URL('./content-thread.ts', import.meta.url);
