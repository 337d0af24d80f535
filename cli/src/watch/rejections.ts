// Back-off for files that the server rejected: each is offered again after growing pauses, or once it has changed.
const firstMs = 15_000;
const longestMs = 600_000;

type Offered = { readonly path: string; readonly revision: string };
type Rejection = { readonly revision: string; readonly times: number; readonly until: number };

export class Rejections {
  readonly #known = new Map<string, Rejection>();

  get count(): number {
    return this.#known.size;
  }

  /** Whether it must not be offered yet. */
  holds({ path, revision }: Offered, now: number): boolean {
    const known = this.#known.get(path);
    return known?.revision === revision && now <= known.until;
  }

  /** The results of the files that were offered in one round. */
  note(offered: readonly Offered[], rejected: readonly Offered[], now: number): void {
    const before = new Map(this.#known);
    for (const { path } of offered) this.#known.delete(path);
    for (const { path, revision } of rejected) {
      const was = before.get(path);
      const times = was?.revision === revision ? was.times + 1 : 0;
      this.#known.set(path, { revision, times, until: now + Math.min(longestMs, firstMs * 2 ** times) });
    }
  }
}
