// A set of SHA-256 digests in 8 bytes each, for lists of millions: two digests that share their first 64 bits count as one.

const emptySlot = 0n;

export class DigestSet {
  #slots = new BigUint64Array(1024);
  #count = 0;

  /** Lowercase hex. */
  has(sha256: string): boolean {
    return this.#slots[this.#find(toValue(sha256))] !== emptySlot;
  }

  add(sha256: string): void {
    const value = toValue(sha256);
    const slot = this.#find(value);
    if (this.#slots[slot] !== emptySlot) return;
    this.#slots[slot] = value;
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#grow();
  }

  /** Where it is, or where it would be. */
  #find(value: bigint): number {
    const mask = this.#slots.length - 1;
    let slot = Number(value & 0xffff_ffffn) & mask;
    for (; this.#slots[slot] !== emptySlot && this.#slots[slot] !== value; slot = (slot + 1) & mask);
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new BigUint64Array(old.length * 2);
    for (const value of old) if (value !== emptySlot) this.#slots[this.#find(value)] = value;
  }
}

/** Zero marks an empty slot. */
const toValue = (sha256: string): bigint => BigInt(`0x${sha256.slice(0, 16)}`) || 1n;
