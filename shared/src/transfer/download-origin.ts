// Where a download comes from: one's own files, or what somebody gave. They differ only in whom is asked for what the file
// is, for its manifest, and for its bytes.
import { type Client, toPath } from '../api/client.ts';
import { downloadFile, downloadMetadata, type File, getFile, type ManifestMetadata } from '../api/files.ts';
import { downloadFriendFile, friendDownloadMetadata } from '../api/friend-shares.ts';

/** What a download has to know of a file. */
export type RemoteFile = Pick<File, 'fileHash' | 'contentHash' | 'fileName' | 'fileSize' | 'manifestHash'>;

type Call = Client['call'];

export type DownloadOrigin = {
  readonly fileHash: string;
  findFile(call: Call): Promise<RemoteFile>;
  findManifest(call: Call): Promise<ManifestMetadata>;
  /** Path of the bytes at the server. */
  readonly path: string;
};

export const ownFile = (fileHash: string): DownloadOrigin => ({
  fileHash,
  findFile: call => call(getFile, { params: { hash: fileHash } }),
  findManifest: call => call(downloadMetadata, { params: { fileHash } }),
  path: toPath(downloadFile, { params: { hash: fileHash } }),
});

/** A file as the details of the share list it. */
export const friendShareFile = (shareId: string, file: RemoteFile): DownloadOrigin => {
  const params = { id: shareId, fileHash: file.fileHash };
  return {
    fileHash: file.fileHash,
    findFile: async () => file,
    findManifest: call => call(friendDownloadMetadata, { params }),
    path: toPath(downloadFriendFile, { params }),
  };
};
