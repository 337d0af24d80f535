// Pass-through streams that check length and SHA-256, and fail at the end if either differs from the announced value.
import { createHash, type Hash, timingSafeEqual } from 'node:crypto';
import { type ByteSource, ObjectStoreError, throwIfAborted, toAborted } from './object-store.ts';

const sameHex = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

const sha256Form = /^[0-9a-f]{64}$/;

/** Checks the announced length and digest of a put, during and at the end of the stream. */
export class PutCheck {
  readonly #hash: Hash = createHash('sha256');
  readonly #size: number | undefined;
  readonly #sha256: string | undefined;
  #received = 0;
  #finished: { readonly size: number; readonly sha256: string } | undefined;

  constructor(announced: { readonly size?: number; readonly sha256?: string }) {
    if (announced.size !== undefined && !(Number.isSafeInteger(announced.size) && announced.size >= 0)) {
      throw new ObjectStoreError('LENGTH_MISMATCH', 'the announced length is not a whole number of bytes');
    }
    if (announced.sha256 !== undefined && !sha256Form.test(announced.sha256)) {
      throw new ObjectStoreError('HASH_MISMATCH', 'the announced SHA-256 is not 64 lowercase hex digits');
    }
    this.#size = announced.size;
    this.#sha256 = announced.sha256;
  }

  get received(): number {
    return this.#received;
  }

  update(block: Uint8Array): void {
    this.#received += block.length;
    if (this.#size !== undefined && this.#received > this.#size) {
      throw new ObjectStoreError('LENGTH_MISMATCH', `more than the announced ${this.#size} bytes arrived`);
    }
    this.#hash.update(block);
  }

  /** Call after the last block and before the object becomes visible. */
  finish(): { readonly size: number; readonly sha256: string } {
    if (this.#finished !== undefined) return this.#finished;
    if (this.#size !== undefined && this.#received !== this.#size) {
      throw new ObjectStoreError('LENGTH_MISMATCH', `${this.#received} of the announced ${this.#size} bytes arrived`);
    }
    const sha256 = this.#hash.digest('hex');
    if (this.#sha256 !== undefined && !sameHex(sha256, this.#sha256)) {
      throw new ObjectStoreError('HASH_MISMATCH', 'the bytes that arrived do not have the announced SHA-256');
    }
    this.#finished = { size: this.#received, sha256 };
    return this.#finished;
  }
}

/**
 * Passes a read through. A wrong length or digest ends in CORRUPT; the last block is held back until both are verified,
 * so that a consumer who counts bytes cannot mistake a bad read for a complete one.
 */
export async function* checkedRead(
  source: AsyncIterable<Uint8Array>,
  expected: { readonly length: number; readonly sha256?: string | undefined },
): AsyncGenerator<Uint8Array, void, void> {
  const hash = expected.sha256 === undefined ? undefined : createHash('sha256');
  let received = 0;
  let held: Uint8Array | undefined;
  for await (const block of source) {
    if (block.length === 0) continue;
    received += block.length;
    if (received > expected.length)
      throw new ObjectStoreError('CORRUPT', 'the store delivered more bytes than it announced');
    hash?.update(block);
    if (held !== undefined) yield held;
    held = block;
  }
  if (received !== expected.length) {
    throw new ObjectStoreError('CORRUPT', `the store delivered ${received} of ${expected.length} bytes`);
  }
  if (hash !== undefined && !sameHex(hash.digest('hex'), expected.sha256 ?? '')) {
    throw new ObjectStoreError('CORRUPT', 'the stored bytes do not have the expected SHA-256');
  }
  if (held !== undefined) yield held;
}

/** Reads the caller's source: its errors become SOURCE_FAILED, and the signal ends the wait for a stalled source. */
export async function* incoming(
  source: ByteSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  throwIfAborted(signal);
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const gaveUp = Promise.withResolvers<never>();
  gaveUp.promise.catch(() => undefined);
  const onAbort = () => gaveUp.reject(toAborted(signal));
  signal?.addEventListener('abort', onAbort, { once: true });
  let ended = false;
  try {
    for (;;) {
      const next = await (signal === undefined ? iterator.next() : Promise.race([iterator.next(), gaveUp.promise]));
      ended = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    if (error instanceof ObjectStoreError) throw error;
    ended = true;
    throw new ObjectStoreError('SOURCE_FAILED', 'the incoming stream ended before all bytes arrived', error);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Not awaited: a generator that is stuck in its own next() would block this one.
    if (!ended) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
