// Limit of concurrent uploads per account and address.
import { ApiError } from '@recordproof/shared/api/errors.ts';

/** An account or address, and its limit. */
type CountedKey = { readonly key: string; readonly most: number };

export class ConcurrentUploads {
  readonly #running = new Map<string, number>();

  /** Counts until disposed. Throws RATE_LIMITED if a key is at its limit. */
  count(keys: readonly CountedKey[]): Disposable {
    const full = keys.find(({ key, most }) => (this.#running.get(key) ?? 0) >= most);
    if (full)
      throw new ApiError(
        'RATE_LIMITED',
        `at most ${full.most} concurrent uploads are allowed; wait until one has finished`,
        { retryAfterSeconds: 1 },
      );
    for (const { key } of keys) this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    let isCounted = true;
    return {
      [Symbol.dispose]: () => {
        if (isCounted) for (const { key } of keys) this.#release(key);
        isCounted = false;
      },
    };
  }

  #release(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }
}
