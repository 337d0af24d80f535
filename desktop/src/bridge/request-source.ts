// Source of a download, for both bridges. A share is opened once more first, because it may have been withdrawn.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { accessShare, grantHeader, type SharedFile } from '@recordproof/shared/api/share-access.ts';
import { type DownloadSource, friendFile, ownFile, sharedFile } from '@recordproof/shared/transfer/download-source.ts';
import type { DownloadRequest } from './bridge.ts';

export type ProofRequest = Extract<DownloadRequest, { kind: 'proof' }>;
export type ZipRequest = Extract<DownloadRequest, { kind: 'zip' }>;
export type FileRequest = Exclude<DownloadRequest, ProofRequest | ZipRequest>;

/** It has a hash for verification, and can be resumed. */
export const isFile = (wanted: DownloadRequest): wanted is FileRequest =>
  wanted.kind !== 'proof' && wanted.kind !== 'zip';

type Named = { readonly task: DownloadRequest; readonly state: { readonly kind: string } };

/** Whether this download fetches the same and is not done: a second one would load the same bytes again. */
export function isUnfinished({ task, state }: Named, wanted: DownloadRequest): boolean {
  if (state.kind === 'done' || task.kind !== wanted.kind) return false;
  if (task.kind === 'proof')
    return wanted.kind === 'proof' && task.fileId === wanted.fileId && task.form === wanted.form;
  if (task.kind === 'zip') return wanted.kind === 'zip' && zipKeyOf(task) === zipKeyOf(wanted);
  if (wanted.kind === 'proof' || wanted.kind === 'zip' || task.fileHash !== wanted.fileHash) return false;
  return placeOf(task) === placeOf(wanted);
}

/** Distinguishes ZIPs of different contents. */
export const zipKeyOf = ({ content }: ZipRequest): string => JSON.stringify(content);

const placeOf = (wanted: FileRequest): string =>
  wanted.kind === 'file' ? '' : wanted.kind === 'shared-file' ? wanted.code : wanted.shareId;

export async function findRequestSource(
  client: Pick<Client, 'call'>,
  wanted: FileRequest,
  signal: AbortSignal,
): Promise<DownloadSource> {
  switch (wanted.kind) {
    case 'file':
      return ownFile(wanted.fileHash);
    case 'friend-file': {
      const { files } = await client.call(getFriendShare, { params: { id: wanted.shareId }, signal });
      return friendFile(wanted.shareId, findShared(files, wanted));
    }
    case 'shared-file': {
      const { code, grant } = wanted;
      const headers = grant === null ? {} : { [grantHeader]: grant };
      const opened = await client.call(accessShare, { params: { code }, headers, signal });
      return sharedFile(code, findShared(opened.files, wanted), opened.grant);
    }
  }
}

function findShared(files: readonly SharedFile[], { fileHash }: FileRequest): SharedFile {
  const file = files.find(one => one.fileHash === fileHash);
  if (!file) throw new ApiError('FILE_NOT_EXIST', 'this file is no longer shared');
  return file;
}
