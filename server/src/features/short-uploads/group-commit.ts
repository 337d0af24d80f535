// Group commit for short uploads: files sealed at the same time share one transaction.
import { Coalescer } from '../../platform/coalescer.ts';
import type { SealedFile } from './seal-file.ts';
import { type Stores, storeSet } from './store-set.ts';
import type { StoredFile } from './views.ts';

const mostPerCommit = 128;
const maxWaitMs = 20;

type Waiting = { readonly server: Stores; readonly file: SealedFile };

export class GroupCommit implements AsyncDisposable {
  #expectedCount = 0;
  readonly #together = new Coalescer<Waiting, StoredFile>({
    most: mostPerCommit,
    maxWaitMs,
    expectedCount: () => this.#expectedCount,
    run: async ([first, ...others]) => {
      if (!first) return [];
      return storeSet(
        first.server,
        [first, ...others].map(({ file }) => file),
      );
    },
  });

  /** `sealing`: while it runs, sealed files wait briefly for this one. */
  async store(server: Stores, sealing: () => Promise<SealedFile>): Promise<StoredFile> {
    this.#expectedCount += 1;
    const file = await sealing().finally(() => {
      this.#expectedCount -= 1;
    });
    return this.#together.add({ server, file });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#together[Symbol.asyncDispose]();
  }
}
