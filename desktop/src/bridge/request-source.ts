// Source of a download, for both bridges. A share is opened once more first, because it may have been withdrawn.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { accessShare, grantHeader, type SharedFile } from '@recordproof/shared/api/share-access.ts';
import { type DownloadSource, friendFile, ownFile, sharedFile } from '@recordproof/shared/transfer/download-source.ts';
import type { FileSource } from './bridge.ts';

export async function findRequestSource(
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
