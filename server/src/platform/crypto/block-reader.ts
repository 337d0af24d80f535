// Reader of a stream of blocks in parts of given lengths, without copying. Only the last part may be shorter.
import { freeBlock } from '@recordproof/shared/node/whole-block.ts';

export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export class BlockReader implements AsyncDisposable {
  readonly #iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #ownsBlocks: boolean;
  #pending: Uint8Array | undefined;
  /** Owned blocks that have been returned in whole or in part; the pending one is last. */
  #handedOut: Uint8Array[] = [];
  #ended = false;

  /** Owned blocks are freed by `release`, or by the read after the one that returned their last byte. */
  constructor(source: ByteSource, options: { readonly ownsBlocks?: boolean } = {}) {
    this.#ownsBlocks = options.ownsBlocks ?? false;
    this.#iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** Views on the source's blocks, together exactly `bytes` long unless the stream ends. */
  async read(bytes: number): Promise<Uint8Array[]> {
    this.release();
    const blocks: Uint8Array[] = [];
    let remaining = bytes;
    while (remaining > 0 && !(await this.isAtEnd())) {
      const block = this.#pending ?? new Uint8Array();
      const part = block.subarray(0, remaining);
      this.#pending = part.length < block.length ? block.subarray(remaining) : undefined;
      blocks.push(part);
      remaining -= part.length;
    }
    return blocks;
  }

  /** Waits for the next byte or the end of the stream. */
  async isAtEnd(): Promise<boolean> {
    while (this.#pending === undefined && !this.#ended) {
      const next = await this.#iterator.next();
      if (next.done) this.#ended = true;
      else if (next.value.length > 0) {
        this.#pending = next.value;
        if (this.#ownsBlocks) this.#handedOut.push(next.value);
      }
    }
    return this.#pending === undefined;
  }

  /** Frees the blocks returned so far; their views must not be used afterwards. */
  release(): void {
    const stillNeeded = this.#pending === undefined ? 0 : 1;
    for (const block of this.#handedOut.splice(0, this.#handedOut.length - stillNeeded)) freeBlock(block);
  }

  /** Frees all blocks and ends the source early if it was not read to its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#pending = undefined;
    this.release();
    if (this.#ended) return;
    this.#ended = true;
    await this.#iterator.return?.();
  }
}
