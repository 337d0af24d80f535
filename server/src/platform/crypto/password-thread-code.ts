// Code of the threads that hash passwords.
import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

/** Replaced by the bundled code in the packaged server (scripts/package). */
export const passwordThreadCode = (): ThreadCode => new URL('./password-thread.ts', import.meta.url);
