// Pass-through streams that count and digest bytes, and fail if the length is not the announced one.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ByteSource } from '../objects/object-store.ts';

/** The announced content. */
type Expected = { readonly bytes: number; readonly what: string };

/** Yields exactly the announced bytes, or fails. */
export async function* exactly(source: ByteSource, { bytes, what }: Expected): AsyncGenerator<Uint8Array> {
  const reject = (arrived: string) =>
    new ApiError(
      'PARAM_IS_INVALID',
      `${what} was announced with ${bytes} bytes, but ${arrived} arrived: send it again`,
    );
  let length = 0;
  for await (const block of source) {
    length += block.length;
    if (length > bytes) throw reject('more');
    yield block;
  }
  if (length < bytes) throw reject(`only ${length}`);
}

export class MeasuredStream {
  readonly #hash = createHash('sha256');
  readonly #expected: Expected;

  constructor(bytes: number, what: string) {
    this.#expected = { bytes, what };
  }

  async *pass(source: ByteSource): AsyncGenerator<Uint8Array> {
    for await (const block of exactly(source, this.#expected)) {
      this.#hash.update(block);
      yield block;
    }
  }

  /** Call after the whole stream has passed. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}
