// A common allowance of bytes per second for everything that is moved at the same time. What is not used up gathers
// for a quarter of a second at most, so that a pause is not followed by a flood.
import type { Clock } from './ports.ts';

export type Bandwidth = {
  /** Resolves when these bytes may be moved. Turns are taken in order. */
  take(bytes: number, signal?: AbortSignal): Promise<void>;
  /** Moved in larger pieces, bytes would come so rarely that the other end takes the connection for dead. */
  readonly maxBytesAtOnce: number;
};

export const unlimited: Bandwidth = { take: async () => undefined, maxBytesAtOnce: Number.POSITIVE_INFINITY };

export function openBandwidth(bytesPerSecond: number, clock: Clock): Bandwidth {
  const burst = bytesPerSecond / 4;
  let allowance = burst;
  let filledAt = clock.now();
  return {
    maxBytesAtOnce: Math.ceil(burst),
    async take(bytes, signal) {
      const now = clock.now();
      allowance = Math.min(burst, allowance + ((now - filledAt) / 1000) * bytesPerSecond);
      filledAt = now;
      // Going below zero at once keeps the order and the sum right: whoever comes next waits for this debt too.
      allowance -= bytes;
      if (allowance < 0) await clock.sleep((-allowance / bytesPerSecond) * 1000, signal);
    },
  };
}

/** Passes blocks on no faster than allowed, and counts them. */
export async function* paced(
  blocks: AsyncIterable<Uint8Array>,
  bandwidth: Bandwidth,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  for await (const block of blocks) {
    for (const piece of inPieces(block, bandwidth.maxBytesAtOnce)) {
      // The consumer may empty the piece.
      const bytes = piece.length;
      await bandwidth.take(bytes, signal);
      yield piece;
      onBytes(bytes);
    }
  }
}

/** Each with memory of its own, unless there is only one. */
function* inPieces(block: Uint8Array, maxBytes: number): Generator<Uint8Array> {
  if (block.length <= maxBytes) return yield block;
  for (let at = 0; at < block.length; at += maxBytes) yield block.slice(at, at + maxBytes);
}
