// Bulk uploads of small files: one call sends many. A set is started when its first file is due, the next one while that is
// sent. Files that do not fit into a set are uploaded one by one.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type File, fileName as fileNameForm } from '@recordproof/shared/api/files.ts';
import type { BulkResult } from '@recordproof/shared/api/short-uploads.ts';
import type { NameConflict } from '@recordproof/shared/api/uploads.ts';
import { openFileSource } from '@recordproof/shared/node/file-source.ts';
import {
  type BulkFile,
  fitsIntoBulk,
  toBulkSets,
  toRejection,
  uploadBulk,
} from '@recordproof/shared/transfer/bulk-upload.ts';
import type { OnProgress } from '@recordproof/shared/transfer/progress.ts';
import { listFolder } from '../files/folder-tree.ts';
import { toDone } from '../platform/progress-line.ts';
import type { Transfers } from '../platform/transfers.ts';
import type { FinishedFiles, LocalFile, StoredAs } from './finished-files.ts';
import { noteRequest, sweepNotes } from './request-notes.ts';
import { isStillStored, type UploadReport } from './upload-one.ts';

type BulkUploadOptions = {
  readonly skipExisting: boolean;
  readonly contentType?: string;
  readonly onConflict?: NameConflict;
  readonly folders: ReadonlyMap<string, string>;
  /** The files that this command has stored already, in this run or in an interrupted one. */
  readonly finished?: FinishedFiles;
};

type Small = { readonly path: string; readonly size: number };
/** Undefined: this file does not fit into a set. */
type Outcome = UploadReport | Error | undefined;
type Batch = { readonly files: readonly Small[]; outcomes?: Promise<ReadonlyMap<string, Outcome>> };
type Hashed = { readonly path: string; readonly file: BulkFile; readonly local: LocalFile };

export class BulkUploads {
  readonly #transfers: Transfers;
  readonly #options: BulkUploadOptions;
  readonly #batches: readonly Batch[];
  readonly #batchOfPath: ReadonlyMap<string, number>;
  readonly #stored = new Map<string, Promise<ReadonlyMap<string, File>>>();
  #tell: OnProgress | undefined;

  constructor(transfers: Transfers, options: BulkUploadOptions, files: readonly Small[]) {
    this.#transfers = transfers;
    this.#options = options;
    this.#batches = toBulkSets(files, ({ size }) => size).map(some => ({ files: some }));
    this.#batchOfPath = new Map(this.#batches.flatMap(({ files }, at) => files.map(({ path }) => [path, at] as const)));
  }

  /** Null where the file has to be sent alone. */
  async upload(path: string): Promise<UploadReport | null> {
    const at = this.#batchOfPath.get(path);
    if (at === undefined) return null;
    this.#tell = this.#transfers.line.begin(path);
    const outcomes = this.#begin(at);
    this.#begin(at + 1)?.catch(() => undefined); // reported when its first file is due
    const outcome = (await outcomes)?.get(path);
    if (outcome === undefined) return null;
    const small = this.#batches[at]?.files.find(file => file.path === path);
    if (small) this.#tell(toDone(small.size));
    this.#transfers.line.end();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  #begin(at: number): Promise<ReadonlyMap<string, Outcome>> | undefined {
    const batch = this.#batches[at];
    if (batch) batch.outcomes ??= this.#send(batch.files);
    return batch?.outcomes;
  }

  async #send(files: readonly Small[]): Promise<ReadonlyMap<string, Outcome>> {
    const began = performance.now();
    const outcomes = new Map<string, Outcome>();
    const open: Hashed[] = [];
    for (const hashed of await this.#hashAll(files)) {
      const finished = await this.#findFinished(hashed);
      if (finished) {
        outcomes.set(hashed.path, { ...toReport(hashed, 'uploaded', finished, 0), resumed: true });
        continue;
      }
      const existing = this.#options.skipExisting ? await this.#findStored(hashed.file) : undefined;
      if (existing) outcomes.set(hashed.path, toReport(hashed, 'exists', { ...existing, fileId: existing.id }, 0));
      else open.push(hashed);
    }
    if (open.length === 0) return outcomes;
    const results = await this.#call(open);
    const seconds = Math.round(performance.now() - began) / 1000;
    for (const [index, hashed] of open.entries()) {
      const result = results[index] as BulkResult;
      if (result.status === 'STORED') outcomes.set(hashed.path, toReport(hashed, 'uploaded', result, seconds));
      else if (!this.#isSkipped(result)) outcomes.set(hashed.path, toRejection(result));
    }
    return outcomes;
  }

  /** It is sent alone, and gets the name of the existing file. */
  #isSkipped(result: Exclude<BulkResult, { status: 'STORED' }>): boolean {
    const error = toRejection(result);
    return this.#options.onConflict === 'skip' && error instanceof ApiError && error.kind === 'DATA_ALREADY_EXISTED';
  }

  async #call(open: readonly Hashed[]): Promise<BulkResult[]> {
    const { server, http, bandwidth, signal, onWait, account, folders, pool } = this.#transfers;
    const files = open.map(({ file }) => file);
    const paths = open.map(({ path }) => path);
    const { requestId, forget } = await noteRequest(folders.uploads, { server: server.baseUrl, account, paths, files });
    async function* read(index: number) {
      await using source = await openFileSource(paths[index] as string, pool);
      yield* source.read(0, source.size);
    }
    const onProgress: OnProgress = progress => this.#tell?.(progress);
    const results = await uploadBulk(
      { requestId, files, read, bandwidth, signal, onWait, onProgress },
      { server, http },
    );
    const stored = results.flatMap((result, at) =>
      result.status === 'STORED' ? [{ file: (open[at] as Hashed).local, stored: result }] : [],
    );
    await this.#options.finished?.add(stored);
    // Where a result is unknown, the same command repeats the call under the same requestId.
    if (results.every(({ status }) => status !== 'UNKNOWN')) await forget();
    return results;
  }

  /** Its record may have been deleted since; for files of a folder one listing checks all. */
  async #findFinished({ local, file }: Hashed): Promise<StoredAs | undefined> {
    const stored = this.#options.finished?.find(local);
    if (stored === undefined || stored.contentHash !== file.contentHash) return undefined;
    const isThere = file.path === undefined ? isStillStored(this.#transfers, stored) : this.#findStored(file);
    return (await isThere) ? stored : undefined;
  }

  async #hashAll(files: readonly Small[]): Promise<Hashed[]> {
    const hashed = new Map<string, Hashed>();
    let next = 0;
    const lane = async () => {
      for (let small = files[next++]; small; small = files[next++]) {
        const one = await this.#hash(small).catch(() => undefined); // sent alone, it reports its own error
        if (one) hashed.set(small.path, one);
      }
    };
    await Promise.all(Array.from({ length: this.#transfers.pool.size * 2 }, lane));
    this.#transfers.signal.throwIfAborted();
    return files.flatMap(({ path }) => hashed.get(path) ?? []);
  }

  async #hash({ path }: Small): Promise<Hashed | undefined> {
    const { pool, signal } = this.#transfers;
    await using source = await openFileSource(path, pool);
    const { success, data: fileName } = fileNameForm.safeParse(source.name);
    if (!success || !fitsIntoBulk(source.size)) return undefined;
    const contentHash = await source.digest(0, source.size, signal);
    const { folders, contentType, onConflict } = this.#options;
    const folder = folders.get(path);
    const more = {
      ...(contentType !== undefined && { contentType }),
      ...(folder !== undefined && { path: folder }),
      ...(onConflict !== undefined && { onConflict }),
    };
    const local = { path: source.path, size: source.size, revision: source.revision, folder };
    return { path, local, file: { fileName, fileSize: source.size, contentHash, ...more } };
  }

  /** Looked up once for a whole tree, not file by file. */
  async #findStored({ path, contentHash }: BulkFile): Promise<File | undefined> {
    if (path === undefined) return undefined;
    const [top = path] = path.split('/');
    let listing = this.#stored.get(top);
    if (!listing) {
      listing = listFolder(this.#transfers.server.client, top).then(
        files => new Map(files.map(file => [toKey(file.path ?? '', file.contentHash), file])),
      );
      this.#stored.set(top, listing);
    }
    return (await listing).get(toKey(path, contentHash));
  }
}

const toKey = (path: string, contentHash: string): string => `${contentHash} ${path}`;

const toReport = (
  { path, file }: Hashed,
  status: UploadReport['status'],
  { fileId, fileHash, contentHash, version }: StoredAs,
  seconds: number,
): UploadReport => ({
  ...{ name: path, status, fileId, fileHash, contentHash, version },
  ...{ bytes: file.fileSize, seconds, resumed: false },
});

/** A single small file gains nothing from a set. */
export async function openBulkUploads(
  transfers: Transfers,
  paths: readonly string[],
  options: BulkUploadOptions,
): Promise<BulkUploads> {
  await sweepNotes(transfers.folders.uploads);
  const small: Small[] = [];
  for (const path of paths) {
    const size = (await stat(path).catch(() => undefined))?.size ?? 0;
    // A file without a folder is looked up alone.
    const isAsked = options.skipExisting && !options.folders.has(path);
    if (fitsIntoBulk(size) && !isAsked && fileNameForm.safeParse(basename(path)).success) small.push({ path, size });
  }
  return new BulkUploads(transfers, options, small.length > 1 ? small : []);
}
