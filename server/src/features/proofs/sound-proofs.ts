/** Remembers over which stored values a proof was found sound, so that asking again costs reading them, not rebuilding. */
export class SoundProofs {
  readonly #known = new Map<string, string>();
  readonly #limit: number;

  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  has(proofId: string, fingerprint: string): boolean {
    return this.#known.get(proofId) === fingerprint;
  }

  keep(proofId: string, fingerprint: string): void {
    this.#known.delete(proofId);
    this.#known.set(proofId, fingerprint);
    const oldest = this.#known.size > this.#limit ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
