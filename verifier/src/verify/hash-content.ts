// A single pass over the original: the digest of the whole and of each planned chunk. Never reads more than the limit.
// Buffers one block.
import type { IncrementalHash, VerifierPlatform } from './verifier-platform.ts';

type ContentPlan = { chunkSize: number; chunkCount: number; maxBytes: number };

export type ContentDigests = {
  size: number;
  contentHash: Uint8Array;
  /** Of the planned chunks only, for an original of any length; a chunk cut short by the end is hashed as it is. */
  chunkHashes: Uint8Array[];
};

export class OriginalTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`the original is larger than ${maxBytes} bytes`);
    this.name = 'OriginalTooLargeError';
  }
}

export async function hashContent(
  original: AsyncIterable<Uint8Array>,
  plan: ContentPlan,
  platform: VerifierPlatform,
): Promise<ContentDigests> {
  // A single chunk is the whole, so it is hashed once.
  const isWhole = plan.chunkCount === 1;
  const chunks = new ChunkHasher({ ...plan, chunkCount: isWhole ? 0 : plan.chunkCount }, platform);
  const whole = platform.newWholeHash?.() ?? platform.newHash();
  let size = 0;
  for await (const block of original) {
    size += block.length;
    if (size > plan.maxBytes) throw new OriginalTooLargeError(plan.maxBytes);
    const wholeDone = whole.update(block);
    await chunks.update(block);
    await wholeDone;
  }
  const contentHash = await whole.digest();
  const chunkHashes = isWhole && size <= plan.chunkSize ? [contentHash] : await chunks.finish();
  return { size, contentHash, chunkHashes };
}

class ChunkHasher {
  readonly #plan: ContentPlan;
  readonly #platform: VerifierPlatform;
  readonly #hashes: Uint8Array[] = [];
  #current: IncrementalHash | undefined;
  #room = 0;

  constructor(plan: ContentPlan, platform: VerifierPlatform) {
    this.#plan = plan;
    this.#platform = platform;
  }

  async update(block: Uint8Array): Promise<void> {
    for (let at = 0; at < block.length; ) {
      if (this.#current === undefined) {
        if (this.#hashes.length >= this.#plan.chunkCount) return;
        this.#current = this.#platform.newHash();
        this.#room = this.#plan.chunkSize;
      }
      const part = block.subarray(at, at + Math.min(this.#room, block.length - at));
      await this.#current.update(part);
      at += part.length;
      this.#room -= part.length;
      if (this.#room === 0) await this.#close(this.#current);
    }
  }

  async finish(): Promise<Uint8Array[]> {
    if (this.#current !== undefined) await this.#close(this.#current);
    return this.#hashes;
  }

  async #close(current: IncrementalHash): Promise<void> {
    this.#hashes.push(await current.digest());
    this.#current = undefined;
  }
}
