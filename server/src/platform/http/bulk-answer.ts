// Response to a bulk request: items are processed in order, a few ahead of the reader, and each succeeds or fails
// alone.
import { Readable } from 'node:stream';
import { toFrame } from '@recordproof/shared/api/bulk-answers.ts';
import { toApiError } from './answers.ts';
import type { PlainAnswer, Request } from './route.ts';

const ahead = 4;

type Noting = Pick<Request, 'noteFailure'>;
type Work<Item> = (item: Item) => Promise<Uint8Array>;

async function* readAhead<Item>(request: Noting, items: readonly Item[], work: Work<Item>) {
  let isNoted = false;
  const answer = (item: Item) =>
    work(item).catch(cause => {
      const error = toApiError(cause);
      // Logged once per response: hundreds of items fail for the same reason.
      if (error.status >= 500 && !isNoted) request.noteFailure(error);
      isNoted ||= error.status >= 500;
      return error;
    });
  const underWay = items.slice(0, ahead).map(answer);
  for (let next = ahead; underWay.length > 0; next += 1) {
    const frame = toFrame((await underWay.shift()) as Uint8Array);
    const item = items[next];
    if (item !== undefined) underWay.push(answer(item));
    yield* frame;
  }
}

/** `work` must return bounded results. */
export const toBulkAnswer = <Item>(request: Noting, items: readonly Item[], work: Work<Item>): PlainAnswer => ({
  headers: { 'content-type': 'application/vnd.recordproof.answers', 'cache-control': 'private, no-store' },
  body: Readable.from(readAhead(request, items, work), { objectMode: false }),
});
