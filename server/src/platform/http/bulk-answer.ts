// An answer to many questions at once: each is worked on in its turn, a few ahead of the reader, and each is answered or
// refused alone.
import { Readable } from 'node:stream';
import { toFrame } from '@recordproof/shared/api/bulk-answers.ts';
import { toApiError } from './answers.ts';
import type { PlainAnswer } from './route.ts';

const ahead = 4;

async function* readAhead<Item>(items: readonly Item[], work: (item: Item) => Promise<Uint8Array>) {
  const answer = (item: Item) => work(item).catch(toApiError);
  const underWay = items.slice(0, ahead).map(answer);
  for (let next = ahead; underWay.length > 0; next += 1) {
    const frame = toFrame((await underWay.shift()) as Uint8Array);
    const item = items[next];
    if (item !== undefined) underWay.push(answer(item));
    yield* frame;
  }
}

/** `work` answers with what is bounded. */
export const toBulkAnswer = <Item>(items: readonly Item[], work: (item: Item) => Promise<Uint8Array>): PlainAnswer => ({
  headers: { 'content-type': 'application/vnd.recordproof.answers', 'cache-control': 'private, no-store' },
  body: Readable.from(readAhead(items, work), { objectMode: false }),
});
