// Storing of short uploads: durable and queued for a proof when this resolves, as an upload in parts. Group commit:
// files sealed at the same time share one transaction.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { Coalescer } from '../../platform/coalescer.ts';
import type { Server } from '../../platform/server.ts';
import type { StoredFile } from '../files/index.ts';
import { type SealedFile, type ShortFile, sealFile } from './seal-file.ts';
import { type Stores, storeSet } from './store-set.ts';

/** Larger files are uploaded in chunks, as are all files while records go to another chain. */
const mostBytes = 8 * 1024 * 1024;

export const isShort = ({ records, config }: Pick<Server, 'records' | 'config'>, fileSize: number): boolean =>
  records.within !== undefined && fileSize <= Math.min(mostBytes, config.uploads.maxChunkBytes);

/** Counted in the metrics of sagas, as an upload in parts. */
export async function storeShort(server: Server, call: Call, file: ShortFile): Promise<StoredFile> {
  const { within } = server.records;
  if (!within) throw new Error('short uploads need file records in the embedded ledger; chain.file-records is "chain"');
  const stores = { ...server, within };
  const { clock, sagas } = server;
  const startedAt = clock.now();
  const count = (status: 'COMPLETED' | 'FAILED') => sagas.countEnd(status, (clock.now() - startedAt) / 1000);
  try {
    const stored = await server.sharedCommits.store(stores, () => sealFile(stores, call, file));
    count('COMPLETED');
    return stored;
  } catch (error) {
    // A rejected file does not count as a saga, in any kind of upload.
    if (!(error instanceof ApiError) || error.status >= 500) count('FAILED');
    throw error;
  }
}

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
