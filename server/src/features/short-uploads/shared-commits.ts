// Who waits to be stored at the same moment is stored together.
import { Together } from '../../platform/together.ts';
import type { SealedFile } from './seal-file.ts';
import { type Stores, storeSet } from './store-together.ts';
import type { StoredFile } from './views.ts';

const mostPerCommit = 128;
const lingerMs = 20;

type Waiting = { readonly server: Stores; readonly file: SealedFile };

export class SharedCommits implements AsyncDisposable {
  #onTheWay = 0;
  readonly #together = new Together<Waiting, StoredFile>({
    most: mostPerCommit,
    lingerMs,
    onTheWay: () => this.#onTheWay,
    run: async ([first, ...others]) => {
      if (!first) return [];
      return storeSet(
        first.server,
        [first, ...others].map(({ file }) => file),
      );
    },
  });

  /** `sealing`: while it goes on, those that are sealed wait for this one a little. */
  async store(server: Stores, sealing: () => Promise<SealedFile>): Promise<StoredFile> {
    this.#onTheWay += 1;
    const file = await sealing().finally(() => {
      this.#onTheWay -= 1;
    });
    return this.#together.add({ server, file });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#together[Symbol.asyncDispose]();
  }
}
