// A bandwidth limit in bytes per second, shared by all concurrent transfers. Unused bandwidth accumulates for a quarter
// of a second at most, so that no burst follows a pause.
import type { Clock } from './ports.ts';

export type Bandwidth = {
  /** Resolves when these bytes may be moved, in calling order. */
  take(bytes: number, signal?: AbortSignal): Promise<void>;
  /** Larger pieces would be so far apart that the peer could consider the connection dead. */
  readonly maxBytesAtOnce: number;
};

export const unlimited: Bandwidth = { take: async () => undefined, maxBytesAtOnce: Number.POSITIVE_INFINITY };

export function openBandwidth(bytesPerSecond: number, clock: Clock): Bandwidth {
  const burst = bytesPerSecond / 4;
  let availableBytes = burst;
  let filledAt = clock.now();
  return {
    maxBytesAtOnce: Math.ceil(burst),
    async take(bytes, signal) {
      const now = clock.now();
      availableBytes = Math.min(burst, availableBytes + ((now - filledAt) / 1000) * bytesPerSecond);
      filledAt = now;
      // A negative balance keeps order and sum right: the next caller waits for it too.
      availableBytes -= bytes;
      if (availableBytes < 0) await clock.sleep((-availableBytes / bytesPerSecond) * 1000, signal);
    },
  };
}

/** Throttles blocks, and counts them. */
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

/** Each with a buffer of its own, unless there is only one. */
function* inPieces(block: Uint8Array, maxBytes: number): Generator<Uint8Array> {
  if (block.length <= maxBytes) return yield block;
  for (let at = 0; at < block.length; at += maxBytes) yield block.slice(at, at + maxBytes);
}
