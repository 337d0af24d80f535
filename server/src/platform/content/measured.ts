// Passes bytes on, counts and digests them; refuses any other length than the one that was announced.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ByteSource } from '../objects/object-store.ts';

export class Measured {
  readonly #hash = createHash('sha256');
  readonly #expected: number;
  readonly #what: string;
  #length = 0;

  constructor(expected: number, what: string) {
    this.#expected = expected;
    this.#what = what;
  }

  async *pass(source: ByteSource): AsyncGenerator<Uint8Array> {
    for await (const block of source) {
      this.#length += block.length;
      if (this.#length > this.#expected) throw this.#wrongLength('more');
      this.#hash.update(block);
      yield block;
    }
    if (this.#length < this.#expected) throw this.#wrongLength('fewer');
  }

  /** Once all of it has passed. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  #wrongLength(how: string): ApiError {
    return new ApiError('PARAM_IS_INVALID', `${this.#what} has ${this.#expected} bytes by the plan; ${how} arrived`);
  }
}
