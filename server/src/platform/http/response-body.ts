// Response bodies: memory and pipelining.
import type { ServerResponse } from 'node:http';
import { freeBlock } from '@recordproof/shared/node/whole-block.ts';
import type { Awaitable } from '../awaitable.ts';
import { toInterruption } from './request-body.ts';

/**
 * Frees each block once it is sent; call it before a body with owned blocks. Otherwise a few downloads cause three full
 * garbage collections a second, which delay all requests.
 */
export function freeSentBlocks(response: ServerResponse): void {
  const write = response.write.bind(response);
  // Called once the system has the bytes, or the connection is closed.
  response.write = (block: Uint8Array) => write(block, () => freeBlock(block));
}

/**
 * Waits for the earlier responses of a pipelined connection: a hundred bodies begun at once would occupy memory for as
 * long as the client likes. Rejects if the client has disconnected.
 */
export function waitForTurn(response: ServerResponse): Awaitable<void> {
  if (response.socket !== null) return;
  return new Promise((resolve, reject) => {
    const leave = () => reject(toInterruption(new Error('the connection ended before its turn')));
    if (response.destroyed) return leave(); // 'close' fires only once
    response.once('socket', () => resolve());
    response.once('close', leave);
  });
}
