// Code of the token's thread; in packaged programs the bundled code itself.
import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

export const pkcs11ThreadCode = (): ThreadCode => new URL('./pkcs11-thread.ts', import.meta.url);
