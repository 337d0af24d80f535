// Where a download comes from: what the file is, what it is checked against, and where its bytes are.
import { type CallInput, toPath } from '../api/client.ts';
import type { AnswerOf, AnyEndpoint } from '../api/endpoint.ts';
import { downloadFile, downloadMetadata, type File, getFile, type ManifestMetadata } from '../api/files.ts';
import { downloadFriendFile, friendDownloadMetadata } from '../api/friend-shares.ts';
import { downloadSharedFile, grantHeader, type SharedFile, sharedDownloadMetadata } from '../api/shares.ts';

export type DownloadableFile = Pick<File, 'fileName' | 'fileHash' | 'contentHash' | 'fileSize' | 'manifestHash'>;

/** A call that is repeated while its failure may pass. */
export type PatientCall = <E extends AnyEndpoint>(endpoint: E, input: CallInput<E>) => Promise<AnswerOf<E>>;

export type DownloadSource = {
  findFile(call: PatientCall): Promise<DownloadableFile>;
  findMetadata(call: PatientCall): Promise<ManifestMetadata>;
  /** Of the bytes, below the address of the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
};

export const ownFile = (fileHash: string): DownloadSource => ({
  findFile: call => call(getFile, { params: { hash: fileHash } }),
  findMetadata: call => call(downloadMetadata, { params: { fileHash } }),
  path: toPath(downloadFile, { params: { hash: fileHash } }),
  headers: {},
});

/** A file of a share that was opened. */
export function sharedFile(code: string, file: SharedFile, grant: string): DownloadSource {
  const params = { code, fileHash: file.fileHash };
  const headers = { [grantHeader]: grant };
  return {
    findFile: async () => file,
    findMetadata: call => call(sharedDownloadMetadata, { params, headers }),
    path: toPath(downloadSharedFile, { params }),
    headers,
  };
}

/** A file that a friend has shared. */
export function friendFile(shareId: string, file: SharedFile): DownloadSource {
  const params = { id: shareId, fileHash: file.fileHash };
  return {
    findFile: async () => file,
    findMetadata: call => call(friendDownloadMetadata, { params }),
    path: toPath(downloadFriendFile, { params }),
    headers: {},
  };
}
