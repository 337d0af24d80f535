// Imprint: verifies that bytes read back are those that were written, at a tenth of the cost of a digest. It is a
// one-time MAC (Poly1305) with a fresh key per stream that never leaves this process, so that neither a failing disk
// nor an attacker who can write to it can produce other bytes with the same tag.
import { createCipheriv, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

export type Imprint = { readonly key: KeyObject; readonly tag: Uint8Array };

// Only the MAC of the cipher is used: all bytes are additional data, and there is no plaintext. The nonce may be
// constant because each key is used once.
const nonce = Buffer.alloc(12);
const openMac = (key: KeyObject) => createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 });

/** Computes the imprint of a stream that passes through. */
export class Imprinter {
  readonly #key = createSecretKey(randomBytes(32));
  readonly #mac = openMac(this.#key);

  async *pass<Block extends Uint8Array>(source: AsyncIterable<Block>): AsyncGenerator<Block, void, void> {
    for await (const block of source) {
      this.#mac.setAAD(block, { plaintextLength: 0 });
      yield block;
    }
  }

  /** Call after the whole stream has passed. */
  finish(): Imprint {
    this.#mac.final();
    return { key: this.#key, tag: this.#mac.getAuthTag() };
  }
}

/** Compares bytes with an imprint. */
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

  /** Call after all bytes were given. */
  isSame(): boolean {
    this.#mac.final();
    return timingSafeEqual(this.#mac.getAuthTag(), this.#tag);
  }
}
