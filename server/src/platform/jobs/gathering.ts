// What nobody waits for gathers for a moment, so that a stream of single changes is followed by few sets of work: the first
// of a quiet time goes at once, what comes within the pause after it goes together.

/** Short enough that nobody minds, long enough for a dozen files that are sent one after the other. */
const pauseMs = 300;

export class Gathering implements Disposable {
  readonly #ring: (kinds: ReadonlySet<string>) => void;
  #gathered = new Set<string>();
  #pauseEndsAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(ring: (kinds: ReadonlySet<string>) => void) {
    this.#ring = ring;
  }

  add(kinds: ReadonlySet<string>): void {
    if (kinds.size === 0) return;
    this.#gathered = this.#gathered.union(kinds);
    if (this.#timer !== undefined) return;
    const leftMs = this.#pauseEndsAt - performance.now();
    if (leftMs <= 0) this.#end();
    else this.#timer = setTimeout(() => this.#end(), leftMs);
  }

  #end(): void {
    const kinds = this.#gathered;
    this.#gathered = new Set();
    this.#timer = undefined;
    this.#pauseEndsAt = performance.now() + pauseMs;
    this.#ring(kinds);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
