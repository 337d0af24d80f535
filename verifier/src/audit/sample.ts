// Sample of a stream: its newest items, and others chosen at random, unpredictably.
export class Sample<Item> {
  readonly #newest: Item[] = [];
  readonly #random: Item[] = [];
  readonly #half: number;
  #passed = 0;

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get list(): readonly Item[] {
    return [...this.#random, ...this.#newest];
  }

  add(item: Item): void {
    if (this.#half === 0) return;
    this.#newest.push(item);
    const passed = this.#newest.length > this.#half ? this.#newest.shift() : undefined;
    if (passed === undefined) return;
    this.#passed++;
    const at = this.#random.length < this.#half ? this.#random.length : Math.floor(Math.random() * this.#passed);
    if (at < this.#half) this.#random[at] = passed;
  }
}
