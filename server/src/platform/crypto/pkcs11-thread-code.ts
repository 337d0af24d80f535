// Where the code of the thread is that asks the token. In a packaged program the code itself stands here.
import type { ThreadCode } from '@recordproof/shared/node/threads.ts';

export const pkcs11ThreadCode = (): ThreadCode => new URL('./pkcs11-thread.ts', import.meta.url);
