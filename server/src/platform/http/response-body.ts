// The bytes of an answer, on their way out.
import type { ServerResponse } from 'node:http';
import { freeBlock } from '@recordproof/shared/node/free-block.ts';
import type { Awaitable } from '../awaitable.ts';
import { toBreak } from './request-body.ts';

/**
 * Call before a body is sent whose blocks nobody else holds. Left to the collector, the blocks of a few downloads make it
 * look through everything three times a second, and everybody waits meanwhile.
 */
export function freeWhatIsTaken(response: ServerResponse): void {
  const write = response.write.bind(response);
  // Told when the system has the bytes, or when nobody will ever want them.
  response.write = (block: Uint8Array) => write(block, () => freeBlock(block));
}

/**
 * Answers of one connection go out one after the other. One with a body is not begun before its turn: a hundred that were
 * asked for at once would lie in memory for as long as the client likes. Rejects when the client is gone by then, or was before.
 */
export function untilItsTurn(response: ServerResponse): Awaitable<void> {
  if (response.socket !== null) return;
  return new Promise((resolve, reject) => {
    const leave = () => reject(toBreak(new Error('the connection ended before its turn')));
    if (response.destroyed) return leave(); // it says so only once
    response.once('socket', () => resolve());
    response.once('close', leave);
  });
}
