// Late-bound value, set once, after its users were created. `get` throws before that, because the start order is wrong.
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
