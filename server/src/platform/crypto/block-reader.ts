// Reads a stream of blocks in pieces of chosen lengths, without copying. At an end of the stream pieces come out shorter.

export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export class BlockReader implements AsyncDisposable {
  readonly #iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #pending: Uint8Array | undefined;
  #ended = false;

  constructor(source: ByteSource) {
    this.#iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** Views on the blocks of the source, together exactly `bytes` long unless the stream ends before. */
  async read(bytes: number): Promise<Uint8Array[]> {
    const blocks: Uint8Array[] = [];
    let wanted = bytes;
    while (wanted > 0 && !(await this.isAtEnd())) {
      const block = this.#pending ?? new Uint8Array();
      const part = block.subarray(0, wanted);
      this.#pending = part.length < block.length ? block.subarray(wanted) : undefined;
      blocks.push(part);
      wanted -= part.length;
    }
    return blocks;
  }

  /** Waits for the next byte, or for the certainty that there is none. */
  async isAtEnd(): Promise<boolean> {
    while (this.#pending === undefined && !this.#ended) {
      const next = await this.#iterator.next();
      if (next.done) this.#ended = true;
      else if (next.value.length > 0) this.#pending = next.value;
    }
    return this.#pending === undefined;
  }

  /** Tells a source that was not read to its end that nobody will. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#pending = undefined;
    await this.#iterator.return?.();
  }
}
