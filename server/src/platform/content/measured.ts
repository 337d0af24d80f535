// Passes bytes on, counts and digests them; refuses any other length than the one that was announced.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ByteSource } from '../objects/object-store.ts';

/** What is to arrive. */
type Expected = { readonly bytes: number; readonly what: string };

/** Passes on neither more nor less. */
export async function* exactly(source: ByteSource, { bytes, what }: Expected): AsyncGenerator<Uint8Array> {
  const refuse = (how: string) =>
    new ApiError('PARAM_IS_INVALID', `${what} has ${bytes} bytes by the plan; ${how} arrived`);
  let length = 0;
  for await (const block of source) {
    length += block.length;
    if (length > bytes) throw refuse('more');
    yield block;
  }
  if (length < bytes) throw refuse('fewer');
}

export class Measured {
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

  /** Once all of it has passed. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}
