// One file of `upload`: looked up at the server first where that is wished, then uploaded, resumed where possible.
import { searchFiles } from '@recordproof/shared/api/files.ts';
import { openFileSource } from '@recordproof/shared/node/file-source.ts';
import { JournalBusy, openUploadJournal } from '@recordproof/shared/node/upload-journals.ts';
import type { Source } from '@recordproof/shared/transfer/ports.ts';
import { type UploadRequest, uploadFile } from '@recordproof/shared/transfer/upload.ts';
import { Fixable } from '../fixable.ts';
import type { TransferKit } from './kit.ts';

export type UploadWish = Pick<
  UploadRequest,
  'mode' | 'fileName' | 'targetFileId' | 'contentType' | 'resume' | 'jobs'
> & {
  readonly path: string;
  readonly skipExisting: boolean;
};

export type UploadReport = {
  readonly name: string;
  readonly status: 'uploaded' | 'exists';
  readonly fileId: string;
  readonly fileHash: string;
  readonly contentHash: string;
  readonly version: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly resumed: boolean;
};

async function findExisting(kit: TransferKit, contentHash: string) {
  const keyword = contentHash.slice('sha256:'.length);
  const query = { keyword, keywordMode: 'EXACT_HASH' as const, status: 1, page: 1, size: 100 };
  const { records } = await kit.server.client.call(searchFiles, { query, signal: kit.signal });
  return records.find(record => record.contentHash === contentHash);
}

async function openJournal(kit: TransferKit, path: string) {
  try {
    return openUploadJournal(kit.folders.uploads, { path, server: kit.server.baseUrl, account: kit.account });
  } catch (error) {
    if (!(error instanceof JournalBusy)) throw error;
    throw new Fixable('later', error.message, { try: 'wait for it, or end it', cause: error });
  }
}

async function send(
  kit: TransferKit,
  source: Source,
  wish: UploadWish,
  contentHash: string | undefined,
  title: string,
) {
  const { path, skipExisting, ...request } = wish;
  await using journal = await openJournal(kit, source.path);
  return await uploadFile(
    {
      ...request,
      source,
      hashJobs: kit.pool.size,
      bandwidth: kit.bandwidth,
      signal: kit.signal,
      onProgress: kit.line.show(title),
      ...(contentHash && { contentHash }),
    },
    { server: kit.server, http: kit.http, journal },
  );
}

export async function uploadOne(kit: TransferKit, wish: UploadWish, title: string): Promise<UploadReport> {
  const began = performance.now();
  const seconds = (): number => Math.round(performance.now() - began) / 1000;
  await using source = await openFileSource(wish.path, kit.pool);
  try {
    const contentHash = wish.skipExisting ? await source.digest(0, source.size, kit.signal) : undefined;
    const existing = contentHash && (await findExisting(kit, contentHash));
    const bytes = source.size;
    if (existing) {
      const { id: fileId, fileHash, contentHash: hash, version } = existing;
      const found = { fileId, fileHash, contentHash: hash, version, bytes };
      return { name: wish.path, status: 'exists', ...found, seconds: seconds(), resumed: false };
    }
    const sent = await send(kit, source, wish, contentHash, title);
    const { fileId, fileHash, contentHash: hash, version, resumed } = sent;
    const found = { fileId, fileHash, contentHash: hash, version, bytes };
    return { name: wish.path, status: 'uploaded', ...found, seconds: seconds(), resumed };
  } finally {
    kit.line.clear();
  }
}
