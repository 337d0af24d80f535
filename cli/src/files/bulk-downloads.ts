// Bulk downloads of small files: one call fetches many, and each is checked against its SHA-256 before it is written. A
// set is requested when its first file is due, the next set while that arrives. Files that fail here are fetched one by
// one.
import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BulkAnswer } from '@recordproof/shared/api/bulk-answers.ts';
import { downloadMany, mostDownloadManyFileBytes } from '@recordproof/shared/api/files.ts';
import { askForMany } from '@recordproof/shared/transfer/bulk-answers.ts';
import { toBulkSets } from '@recordproof/shared/transfer/bulk-upload.ts';
import type { Transfers } from '../platform/transfers.ts';
import { writeWholeFile } from '../platform/whole-file.ts';

export type SmallDownload = {
  readonly fileHash: string;
  readonly contentHash: string;
  readonly size: number;
  readonly path: string;
};

/** Undefined: the file has to be fetched alone, and reports its own error. */
type Outcome = 'downloaded' | Error | undefined;
type Batch = { readonly files: readonly SmallDownload[]; outcomes?: Promise<ReadonlyMap<string, Outcome>> };

const writtenAtOnce = 8;

export const fitsIntoSet = (size: number | undefined): size is number =>
  size !== undefined && size <= mostDownloadManyFileBytes;

export class BulkDownloads {
  readonly #transfers: Transfers;
  readonly #mayReplace: boolean;
  readonly #batches: readonly Batch[];
  readonly #batchOfPath: ReadonlyMap<string, number>;

  constructor(transfers: Transfers, files: readonly SmallDownload[], mayReplace: boolean) {
    this.#transfers = transfers;
    this.#mayReplace = mayReplace;
    this.#batches = toBulkSets(files, ({ size }) => size).map(some => ({ files: some }));
    this.#batchOfPath = new Map(this.#batches.flatMap(({ files }, at) => files.map(({ path }) => [path, at] as const)));
  }

  /** False where the file has to be fetched alone. */
  async download(path: string): Promise<boolean> {
    const at = this.#batchOfPath.get(path);
    if (at === undefined) return false;
    const outcomes = this.#begin(at);
    this.#begin(at + 1)?.catch(() => undefined); // the error is reported when this file is fetched
    const outcome = (await outcomes)?.get(path);
    if (outcome instanceof Error) throw outcome;
    return outcome === 'downloaded';
  }

  #begin(at: number): Promise<ReadonlyMap<string, Outcome>> | undefined {
    const batch = this.#batches[at];
    if (batch) batch.outcomes ??= this.#fetch(batch.files);
    return batch?.outcomes;
  }

  async #fetch(files: readonly SmallDownload[]): Promise<ReadonlyMap<string, Outcome>> {
    const { server, signal } = this.#transfers;
    const outcomes = new Map<string, Outcome>();
    const writing = new Set<Promise<void>>();
    const take = async (file: SmallDownload, answer: BulkAnswer) => {
      const written = this.#write(file, answer)
        .catch((error: Error) => error)
        .then(outcome => void outcomes.set(file.path, outcome));
      writing.add(written);
      void written.then(() => writing.delete(written));
      if (writing.size >= writtenAtOnce) await Promise.race(writing);
    };
    const items = await this.#leaveOutTaken(files);
    await askForMany({
      items,
      open: (some, signal) =>
        server.client.open(downloadMany, { body: { fileHashes: some.map(({ fileHash }) => fileHash) }, signal }),
      maxBytes: mostDownloadManyFileBytes,
      take,
      signal,
    }).finally(() => Promise.all(writing));
    return outcomes;
  }

  /** Files that would be rejected in the end are not fetched. */
  async #leaveOutTaken(files: readonly SmallDownload[]): Promise<SmallDownload[]> {
    if (this.#mayReplace) return [...files];
    const found = await Promise.all(files.map(({ path }) => lstat(path).catch(() => undefined)));
    return files.filter((_, index) => found[index] === undefined);
  }

  async #write({ path, contentHash }: SmallDownload, answer: BulkAnswer): Promise<Outcome> {
    if (answer instanceof Error) return undefined;
    if (`sha256:${createHash('sha256').update(answer).digest('hex')}` !== contentHash) return undefined;
    await this.#transfers.bandwidth.take(answer.length, this.#transfers.signal);
    await mkdir(dirname(path), { recursive: true });
    await writeWholeFile(path, answer, this.#mayReplace);
    return 'downloaded';
  }
}
