// Tells whether bytes that are read back are those that went by, at a tenth of the price of a digest: a one-time MAC
// (Poly1305) under a key that was drawn for these bytes alone. The key never leaves the memory of this process, so that
// neither a failing disk nor whoever can write to it comes by other bytes of the same tag.
import { createCipheriv, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

export type Imprint = { readonly key: KeyObject; readonly tag: Uint8Array };

// Of the cipher only its MAC is used: all bytes are "additional data", and there is no message. The nonce may be the same
// each time because the key never is.
const nonce = Buffer.alloc(12);
const openMac = (key: KeyObject) => createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 });

/** Takes the imprint of a stream that passes. */
export class Imprinter {
  readonly #key = createSecretKey(randomBytes(32));
  readonly #mac = openMac(this.#key);

  async *pass<Block extends Uint8Array>(source: AsyncIterable<Block>): AsyncGenerator<Block, void, void> {
    for await (const block of source) {
      this.#mac.setAAD(block, { plaintextLength: 0 });
      yield block;
    }
  }

  /** Once all of it has passed. */
  finish(): Imprint {
    this.#mac.final();
    return { key: this.#key, tag: this.#mac.getAuthTag() };
  }
}

/** Compares bytes with the imprint that was taken of them. */
export class ImprintCheck {
  readonly #mac;
  readonly #tag: Uint8Array;

  constructor({ key, tag }: Imprint) {
    this.#mac = openMac(key);
    this.#tag = tag;
  }

  update(block: Uint8Array): void {
    this.#mac.setAAD(block, { plaintextLength: 0 });
  }

  /** Once all of them were given. */
  isSame(): boolean {
    this.#mac.final();
    return timingSafeEqual(this.#mac.getAuthTag(), this.#tag);
  }
}
