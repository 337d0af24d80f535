// Upload of one file: with --skip-existing it first checks for an existing file; an interrupted upload is resumed.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type File, getFile, searchFiles } from '@recordproof/shared/api/files.ts';
import { openFileSource } from '@recordproof/shared/node/file-source.ts';
import { JournalBusy, openUploadJournal } from '@recordproof/shared/node/upload-journals.ts';
import type { Source } from '@recordproof/shared/transfer/ports.ts';
import { type UploadRequest, uploadFile } from '@recordproof/shared/transfer/upload.ts';
import { CommandError } from '../platform/command-error.ts';
import { hash, linesOf, name } from '../platform/table.ts';
import type { Transfers } from '../platform/transfers.ts';
import { toSize } from '../platform/units.ts';
import type { FinishedFiles, LocalFile, StoredAs } from './finished-files.ts';

export type UploadOptions = Pick<
  UploadRequest,
  'mode' | 'fileName' | 'targetFileId' | 'folder' | 'onConflict' | 'contentType' | 'resume' | 'jobs'
> & {
  readonly path: string;
  readonly skipExisting: boolean;
  /** When it is known already: other content is rejected. */
  readonly contentHash?: string;
  /** The files that this command has stored already, in this run or in an interrupted one. */
  readonly finished?: FinishedFiles;
};

export type UploadReport = StoredAs & {
  readonly name: string;
  /** `skipped`: a file of this name exists, and the fields are of that one. */
  readonly status: 'uploaded' | 'exists' | 'skipped';
  readonly bytes: number;
  readonly seconds: number;
  readonly resumed: boolean;
};

/** Of one width, where possible: they come one by one. */
export const uploadedLines = linesOf<UploadReport>({
  STATUS: file => file.status.padEnd('uploaded'.length),
  ID: file => file.fileId.padStart(4),
  RECORD: hash(file => file.fileHash),
  SIZE: file => toSize(file.bytes).padStart(8),
  NAME: name(file => file.name),
});

/** Another folder makes it another upload. */
async function findExisting(transfers: Transfers, contentHash: string, folder: string | undefined) {
  const keyword = contentHash.slice('sha256:'.length);
  const where = folder === undefined ? {} : { path: folder };
  const query = { keyword, keywordMode: 'EXACT_HASH' as const, status: 1, page: 1, size: 100, ...where };
  const { records } = await transfers.server.client.call(searchFiles, { query, signal: transfers.signal });
  return records.find(record => record.contentHash === contentHash && (folder === undefined || record.path === folder));
}

async function openJournal(transfers: Transfers, path: string) {
  try {
    return openUploadJournal(transfers.folders.uploads, {
      path,
      server: transfers.server.baseUrl,
      account: transfers.account,
    });
  } catch (error) {
    if (!(error instanceof JournalBusy)) throw error;
    throw new CommandError('later', error.message, { try: 'wait for it, or end it', cause: error });
  }
}

const toLocal = ({ path, size, revision }: Source, { folder }: UploadOptions): LocalFile => ({
  ...{ path, size, revision, folder },
});

/** Whether the record of a finished file still exists: its owner may have deleted it since. */
export async function isStillStored({ server, signal }: Transfers, { fileHash }: StoredAs): Promise<boolean> {
  try {
    await server.client.call(getFile, { params: { hash: fileHash }, signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'FILE_NOT_EXIST') return false;
    throw error;
  }
}

async function send(
  transfers: Transfers,
  source: Source,
  options: UploadOptions,
  contentHash: string | undefined,
  title: string,
) {
  const { path: _path, skipExisting: _skipExisting, contentHash: _contentHash, finished, ...request } = options;
  await using journal = await openJournal(transfers, source.path);
  return await uploadFile(
    {
      ...request,
      source,
      hashJobs: transfers.pool.size,
      bandwidth: transfers.bandwidth,
      signal: transfers.signal,
      onWait: transfers.onWait,
      onProgress: transfers.line.begin(title),
      ...(contentHash && { contentHash }),
      ...(finished && { onStored: stored => finished.add([{ file: toLocal(source, options), stored }]) }),
    },
    { server: transfers.server, http: transfers.http, journal },
  );
}

/** With the choice to skip, the server names the existing file. */
async function orTaken<Sent>({ server }: Transfers, work: () => Promise<Sent>): Promise<Sent | { taken: File }> {
  try {
    return await work();
  } catch (error) {
    const hash = error instanceof ApiError && error.kind === 'DATA_ALREADY_EXISTED' ? error.detail?.fileHash : null;
    if (typeof hash !== 'string') throw error;
    return { taken: await server.client.call(getFile, { params: { hash } }) };
  }
}

export async function uploadOne(transfers: Transfers, options: UploadOptions, title: string): Promise<UploadReport> {
  const began = performance.now();
  const seconds = (): number => Math.round(performance.now() - began) / 1000;
  await using source = await openFileSource(options.path, transfers.pool);
  const toReport = (status: UploadReport['status'], stored: StoredAs, resumed = false): UploadReport => {
    const { fileId, fileHash, contentHash, version } = stored;
    const found = { fileId, fileHash, contentHash, version, bytes: source.size };
    return { name: options.path, status, ...found, seconds: seconds(), resumed };
  };
  try {
    const finished = options.finished?.find(toLocal(source, options));
    if (finished && (await isStillStored(transfers, finished))) {
      await using journal = await openJournal(transfers, source.path);
      journal.remove(); // left behind by a kill
      return { name: options.path, status: 'uploaded', ...finished, bytes: source.size, seconds: 0, resumed: true };
    }
    const digest = options.skipExisting ? await source.digest(0, source.size, transfers.signal) : undefined;
    const existing = digest && (await findExisting(transfers, digest, options.folder));
    if (existing) return toReport('exists', { ...existing, fileId: existing.id });
    const sent = await orTaken(transfers, () => send(transfers, source, options, digest ?? options.contentHash, title));
    if ('taken' in sent) return toReport('skipped', { ...sent.taken, fileId: sent.taken.id });
    return toReport('uploaded', sent, sent.resumed);
  } finally {
    transfers.line.end();
  }
}
