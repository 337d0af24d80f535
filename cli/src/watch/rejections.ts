// Back-off for files that the server rejected: each is offered again after growing pauses, or once it has changed.
const firstMs = 15_000;
const longestMs = 600_000;

type Offered = { readonly path: string; readonly revision: string };
type Rejection = { readonly revision: string; readonly times: number; readonly until: number };

export class Rejections {
  readonly #rejections = new Map<string, Rejection>();

  get count(): number {
    return this.#rejections.size;
  }

  /** Whether it must not be offered yet. */
  holds({ path, revision }: Offered, now: number): boolean {
    const rejection = this.#rejections.get(path);
    return rejection?.revision === revision && now <= rejection.until;
  }

  /** The results of the files that were offered in one round. */
  note(offered: readonly Offered[], rejected: readonly Offered[], now: number): void {
    const before = new Map(this.#rejections);
    for (const { path } of offered) this.#rejections.delete(path);
    for (const { path, revision } of rejected) {
      const was = before.get(path);
      const times = was?.revision === revision ? was.times + 1 : 0;
      this.#rejections.set(path, { revision, times, until: now + Math.min(longestMs, firstMs * 2 ** times) });
    }
  }
}
