// Source of a download, for both bridges. A share is opened once more first, because it may have been withdrawn.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { accessShare, grantHeader, type SharedFile } from '@recordproof/shared/api/shares.ts';
import { type DownloadSource, friendFile, ownFile, sharedFile } from '@recordproof/shared/transfer/download-source.ts';
import type { FileSource, Wanted } from './bridge.ts';

export type WantedProof = Extract<Wanted, { kind: 'proof' }>;
export type WantedZip = Extract<Wanted, { kind: 'zip' }>;
export type WantedFile = Exclude<Wanted, WantedProof | WantedZip>;

/** It has a hash that its bytes are checked against, and can be resumed. */
export const isFile = (wanted: Wanted): wanted is WantedFile => wanted.kind !== 'proof' && wanted.kind !== 'zip';

type Named = { readonly task: Wanted; readonly state: { readonly kind: string } };

/** Whether this download fetches the same and is not done: a second one would load the same bytes again. */
export function isUnfinished({ task, state }: Named, wanted: Wanted): boolean {
  if (state.kind === 'done' || task.kind !== wanted.kind) return false;
  if (task.kind === 'proof')
    return wanted.kind === 'proof' && task.fileId === wanted.fileId && task.form === wanted.form;
  if (task.kind === 'zip') return wanted.kind === 'zip' && zipKeyOf(task) === zipKeyOf(wanted);
  if (wanted.kind === 'proof' || wanted.kind === 'zip' || task.fileHash !== wanted.fileHash) return false;
  return placeOf(task) === placeOf(wanted);
}

/** Tells ZIPs of other content apart. */
export const zipKeyOf = ({ content }: WantedZip): string => JSON.stringify(content);

const placeOf = (wanted: WantedFile): string =>
  wanted.kind === 'file' ? '' : wanted.kind === 'shared-file' ? wanted.code : wanted.shareId;

export async function findWantedSource(
  client: Pick<Client, 'call'>,
  wanted: FileSource,
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

function findShared(files: readonly SharedFile[], { fileHash }: FileSource): SharedFile {
  const file = files.find(one => one.fileHash === fileHash);
  if (!file) throw new ApiError('FILE_NOT_EXIST', 'this file is no longer shared');
  return file;
}
