// The subjects of ledger entries and their last position: a hash table in typed arrays, with 20 bytes per slot, so that
// millions of entries fit into memory. Keys are salted 96-bit digests, so that collisions cannot be constructed.
import { randomBytes } from 'node:crypto';
import { concatBytes, sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';

const keyWords = 3;
/** Below 1, so that each search ends at a free slot. */
const mostLoad = 0.8;
const firstSlots = 1024;

export class SeenSubjects {
  readonly #salt: Uint8Array = randomBytes(16);
  #keys = new Uint32Array(firstSlots * keyWords);
  /** The position plus one; 0 is a free slot. */
  #positions = new Uint32Array(firstSlots);
  #notes = new Uint32Array(firstSlots);
  #count = 0;
  #last = { text: '', key: new Uint32Array(keyWords) };

  find(kind: string, subject: string): { readonly position: number; readonly note: number } | undefined {
    const slot = this.#slotOf(this.#keyOf(kind, subject));
    const position = this.#positions[slot] ?? 0;
    return position === 0 ? undefined : { position: position - 1, note: this.#notes[slot] ?? 0 };
  }

  /** Replaces the earlier value. */
  set(kind: string, subject: string, position: number, note = 0): void {
    if (this.#count >= this.#positions.length * mostLoad) this.#grow();
    const key = this.#keyOf(kind, subject);
    const slot = this.#slotOf(key);
    if (this.#positions[slot] === 0) this.#count++;
    this.#write(slot, key, position + 1, note);
  }

  /** A subject is looked up before it is set. */
  #keyOf(kind: string, subject: string): Uint32Array {
    const text = `${kind}\n${subject}`;
    if (text === this.#last.text) return this.#last.key;
    const digest = sha256(concatBytes(this.#salt, toUtf8(text)));
    const key = new Uint32Array(Uint8Array.from(digest.subarray(0, 4 * keyWords)).buffer);
    this.#last = { text, key };
    return key;
  }

  #slotOf(key: Uint32Array): number {
    const last = this.#positions.length - 1;
    let slot = (key[0] ?? 0) & last;
    while (this.#positions[slot] !== 0 && !this.#isAt(slot, key)) slot = (slot + 1) & last;
    return slot;
  }

  #isAt(slot: number, key: Uint32Array): boolean {
    const keys = this.#keys;
    const first = slot * keyWords;
    return key[0] === keys[first] && key[1] === keys[first + 1] && key[2] === keys[first + 2];
  }

  #write(slot: number, key: Uint32Array, position: number, note: number): void {
    this.#keys.set(key, slot * keyWords);
    this.#positions[slot] = position;
    this.#notes[slot] = note;
  }

  #grow(): void {
    const [keys, positions, notes] = [this.#keys, this.#positions, this.#notes];
    this.#keys = new Uint32Array(2 * keys.length);
    this.#positions = new Uint32Array(2 * positions.length);
    this.#notes = new Uint32Array(2 * notes.length);
    for (const [slot, position] of positions.entries()) {
      if (position === 0) continue;
      const key = keys.subarray(slot * keyWords, (slot + 1) * keyWords);
      this.#write(this.#slotOf(key), key, position, notes[slot] ?? 0);
    }
  }
}
