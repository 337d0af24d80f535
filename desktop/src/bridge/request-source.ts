// Source of a download, for both bridges. A share is opened once more first, because it may have been withdrawn.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { accessShare, grantHeader, type SharedFile } from '@recordproof/shared/api/share-access.ts';
import { type DownloadSource, friendFile, ownFile, sharedFile } from '@recordproof/shared/transfer/download-source.ts';
import type { FileSource } from './bridge.ts';

export async function findRequestSource(
  client: Pick<Client, 'call'>,
  request: FileSource,
  signal: AbortSignal,
): Promise<DownloadSource> {
  switch (request.kind) {
    case 'file':
      return ownFile(request.fileHash);
    case 'friend-file': {
      const { files } = await client.call(getFriendShare, { params: { id: request.shareId }, signal });
      return friendFile(request.shareId, findShared(files, request));
    }
    case 'shared-file': {
      const { code, grant } = request;
      const headers = grant === null ? {} : { [grantHeader]: grant };
      const opened = await client.call(accessShare, { params: { code }, headers, signal });
      return sharedFile(code, findShared(opened.files, request), opened.grant);
    }
  }
}

function findShared(files: readonly SharedFile[], { fileHash }: FileSource): SharedFile {
  const file = files.find(one => one.fileHash === fileHash);
  if (!file) throw new ApiError('FILE_NOT_EXIST', `file ${fileHash} is no longer shared: ask its owner`);
  return file;
}
