// Bulk requests: many items per call, whose answers are passed on as they arrive; an interrupted call is repeated for
// the rest.
import { type BulkAnswer, readFrames } from '../api/bulk-answers.ts';
import { TransportError } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { type Clock, HttpBroken, systemClock } from './ports.ts';
import { defaultRetryPolicy, withRetries } from './retry.ts';
import { TransferError } from './transfer-error.ts';
import { signalOf } from './upload-attempt.ts';

type Asking<Item> = {
  readonly items: readonly Item[];
  /** The raw response for these items; waits for rate limits itself. */
  readonly open: (items: readonly Item[], signal: AbortSignal) => Promise<Response>;
  readonly maxBytes: number;
  /** An error it throws ends everything. */
  readonly take: (item: Item, answer: BulkAnswer) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
};

class TakingFailed extends Error {}

export async function askForMany<Item>(asking: Asking<Item>): Promise<void> {
  const { items, clock = systemClock } = asking;
  const signal = signalOf(asking);
  let done = 0;
  const retry = { clock, policy: defaultRetryPolicy, signal };
  const goOn = async (): Promise<boolean> => {
    const before = done;
    try {
      for await (const [item, answer] of answersTo(asking, items.slice(done), signal)) {
        await asking.take(item, answer).catch(cause => {
          throw new TakingFailed('', { cause });
        });
        done += 1;
      }
    } catch (error) {
      if (done === before || error instanceof TakingFailed || signal.aborted) throw error;
    }
    return done < items.length;
  };
  try {
    while (await withRetries(retry, `${items.length} answers`, goOn));
  } catch (error) {
    throw error instanceof TakingFailed ? error.cause : error;
  }
}

async function* answersTo<Item>(
  { open, maxBytes }: Asking<Item>,
  items: readonly Item[],
  signal: AbortSignal,
): AsyncGenerator<readonly [Item, BulkAnswer]> {
  const response = await open(items, signal);
  let next = 0;
  try {
    for await (const answer of readFrames(response.body ?? new ReadableStream(), maxBytes)) {
      const item = items[next];
      if (item === undefined) return;
      next += 1;
      yield [item, answer];
    }
  } catch (error) {
    signal.throwIfAborted();
    const isOurs = error instanceof ApiError || error instanceof TransportError || error instanceof TakingFailed;
    throw isOurs ? error : toReadingError(error);
  }
  if (next < items.length) throw new HttpBroken('the response ended early');
}

const toReadingError = (error: unknown): Error =>
  error instanceof TypeError
    ? new HttpBroken(`the connection broke: ${error.message}`, error)
    : new TransferError('wrong-answer', 'the server sent a response in an unknown format', error);
