// Tightest time bounds of a ledger entry, from third parties' statements on checkpoints: the earliest statement that
// covers the entry, and the latest one by which it did not exist yet. There may be one statement per kept checkpoint
// and witness, so that each entry is compared with these two only.

/** A third party's statement on a checkpoint: all entries before this size existed at this time. */
export type VouchedTime = {
  readonly size: number;
  readonly timeMs: number;
  readonly by: string;
  /** Whether later entries did not exist yet, as far as the witnesses saw. */
  readonly isNewest: boolean;
};

export class StrictestTimes {
  /** In ascending order of size. */
  readonly #vouched: readonly VouchedTime[];
  /** For each statement, the earliest of it and those on larger sizes. */
  readonly #earliest: VouchedTime[] = [];
  #passed = 0;
  #before: VouchedTime | undefined;

  constructor(vouched: readonly VouchedTime[]) {
    this.#vouched = vouched.toSorted((a, b) => a.size - b.size);
    let earliest: VouchedTime | undefined;
    for (const one of this.#vouched.toReversed()) {
      if (earliest === undefined || one.timeMs < earliest.timeMs) earliest = one;
      this.#earliest.push(earliest);
    }
    this.#earliest.reverse();
  }

  /**
   * Called in order of position. `covering`: the earliest that covers the entry; `before`: the latest that says that it
   * was not there.
   */
  at(position: number): { readonly covering: VouchedTime | undefined; readonly before: VouchedTime | undefined } {
    for (let one = this.#vouched[this.#passed]; one !== undefined; one = this.#vouched[++this.#passed]) {
      if (one.size > position) break;
      if (one.isNewest && (this.#before === undefined || one.timeMs > this.#before.timeMs)) this.#before = one;
    }
    return { covering: this.#earliest[this.#passed], before: this.#before };
  }
}
