// Limit of concurrent uploads per account and address.
import { ApiError } from '@recordproof/shared/api/errors.ts';

/** An account or address, and its limit. */
type Holder = { readonly key: string; readonly most: number };

export class ConcurrentUploads {
  readonly #held = new Map<string, number>();

  /** Counts until disposed. Throws RATE_LIMITED if a holder is at its limit. */
  hold(holders: readonly Holder[]): Disposable {
    const full = holders.find(({ key, most }) => (this.#held.get(key) ?? 0) >= most);
    if (full)
      throw new ApiError(
        'RATE_LIMITED',
        `at most ${full.most} concurrent uploads are allowed; wait until one has finished`,
        {
          retryAfterSeconds: 1,
        },
      );
    for (const { key } of holders) this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) for (const { key } of holders) this.#release(key);
        isHeld = false;
      },
    };
  }

  #release(key: string): void {
    const left = (this.#held.get(key) ?? 1) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
  }
}
