// Admission control: a fixed number of concurrent verifications. Each address is guaranteed its share; slots beyond it
// are lent, and recalled when another address needs one. Further requests wait briefly, in order, and are then
// rejected; for a while after that slots count as wanted.

type Waiting = { admit: (isAdmitted: boolean) => void };

export type AdmissionLimits = {
  slots: number;
  slotsPerAddress: number;
  acquireTimeoutMillis: number;
  /** How long a rejected address counts as waiting, because clients retry. */
  rememberMillis: number;
};

export type Slot = Disposable & {
  /** Called once when the slot is recalled, which then is no longer held; absent while it must not be. */
  onRecall?: (() => void) | undefined;
};

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #now: () => number;
  readonly #waiting = new Set<Waiting>();
  /** In the order of admission. */
  readonly #held = new Map<Slot, string>();
  #free: number;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(limits: AdmissionLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#free = limits.slots;
  }

  /** Others wait for a slot, or were recently rejected. */
  get isWanted(): boolean {
    return this.#waiting.size > 0 || this.#now() - this.#refusedAt < this.#limits.rememberMillis;
  }

  /** Returns undefined if no slot became free in time. */
  async enter(address: string): Promise<Slot | undefined> {
    if (this.#free === 0) this.#recallFor(address);
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#wait())) {
      this.#refusedAt = this.#now();
      return undefined;
    }
    const slot: Slot = { [Symbol.dispose]: () => this.#leave(slot) };
    this.#held.set(slot, address);
    return slot;
  }

  #countOf(address: string): number {
    return [...this.#held.values()].filter(holder => holder === address).length;
  }

  /** The newest slot that another address holds beyond its share. */
  #recallFor(address: string): void {
    if (this.#countOf(address) >= this.#limits.slotsPerAddress) return;
    const lent = [...this.#held].findLast(
      ([{ onRecall }, holder]) =>
        onRecall !== undefined && holder !== address && this.#countOf(holder) > this.#limits.slotsPerAddress,
    );
    if (lent === undefined) return;
    const [slot] = lent;
    const { onRecall } = slot;
    this.#leave(slot);
    onRecall?.();
  }

  #wait(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { admit: resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(() => resolve(false), this.#limits.acquireTimeoutMillis);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    });
  }

  #leave(slot: Slot): void {
    if (!this.#held.delete(slot)) return;
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next.admit(true);
    }
  }
}
