// A compact set of piece keys, 8 bytes each, for lists of millions. Names of pieces are digests: two with the same
// first 64 bits count as one.

const emptySlot = 0n;

export class DigestSet {
  #slots = new BigUint64Array(1024);
  #count = 0;

  has(key: string): boolean {
    return this.#slots[this.#find(toValue(key))] !== emptySlot;
  }

  add(key: string): void {
    const value = toValue(key);
    const slot = this.#find(value);
    if (this.#slots[slot] !== emptySlot) return;
    this.#slots[slot] = value;
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#grow();
  }

  /** The slot of the value, or the free slot for it. */
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

const hexDigits = 16;

/** The first digits of the name after the last slash. Zero marks an empty slot. */
function toValue(key: string): bigint {
  const start = key.lastIndexOf('/') + 1;
  return BigInt(`0x${key.slice(start, start + hexDigits)}`) || 1n;
}
