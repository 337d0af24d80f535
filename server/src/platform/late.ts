/** What is opened after those who use it. Asking for it before is a mistake in the order of the start, and says so. */
export class Late<T> {
  readonly #name: string;
  #held: { readonly value: T } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get(): T {
    if (this.#held === undefined) throw new Error(`${this.#name} is not there yet`);
    return this.#held.value;
  }

  set(value: T): T {
    this.#held = { value };
    return value;
  }
}
