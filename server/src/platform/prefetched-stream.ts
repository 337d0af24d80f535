// A stream whose first blocks are read before the response begins: an error in them is still an error response.
import { Readable } from 'node:stream';

/** Reads `count` blocks at once, and later at most `highWaterMark` bytes ahead of the reader. */
export async function openPrefetched(
  blocks: AsyncGenerator<Uint8Array, void, void>,
  { count, highWaterMark }: { readonly count: number; readonly highWaterMark: number },
): Promise<Readable> {
  const begun: Uint8Array[] = [];
  while (begun.length < count) {
    const { done, value } = await blocks.next();
    if (done) break;
    begun.push(value);
  }
  const body = Readable.from(resume(begun, blocks), { objectMode: false, highWaterMark });
  return body.once('close', () => blocks.return().catch(() => undefined)); // also if nothing was read
}

async function* resume(begun: readonly Uint8Array[], rest: AsyncGenerator<Uint8Array, void, void>) {
  yield* begun;
  yield* rest;
}
