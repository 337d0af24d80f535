// The bytes of an answer, on their way out.
import type { ServerResponse } from 'node:http';
import { freeBlock } from '@recordproof/shared/node/free-block.ts';

/**
 * Call before a body is sent whose blocks nobody else holds. Left to the collector, the blocks of a few downloads make it
 * look through everything three times a second, and everybody waits meanwhile.
 */
export function freeWhatIsTaken(response: ServerResponse): void {
  const write = response.write.bind(response);
  // Told when the system has the bytes, or when nobody will ever want them.
  response.write = (block: Uint8Array) => write(block, () => freeBlock(block));
}
