// The bytes of an answer, on their way out.
import type { ServerResponse } from 'node:http';
import { freeBlock } from '@recordproof/shared/node/free-block.ts';

/**
 * Call before a body is sent whose blocks nobody else holds. Left to the collector, the blocks of a few downloads make it
 * look through everything three times a second, and everybody waits meanwhile.
 */
export function freeWhatIsTaken(response: ServerResponse): void {
  const write = response.write.bind(response);
  response.write = (block: Uint8Array) =>
    write(block, failure => {
      if (!failure) freeBlock(block);
    });
}
