// Sources of a download: the file's metadata, its verification data, and the path of its bytes.
import { type CallInput, type Client, toPath } from '../api/client.ts';
import type { AnswerOf, AnyEndpoint } from '../api/endpoint.ts';
import { downloadFile, type File, getFile } from '../api/files.ts';
import { downloadFriendFile, friendDownloadMetadata } from '../api/friend-shares.ts';
import { downloadMetadata, type ManifestMetadata } from '../api/manifests.ts';
import { downloadSharedFile, grantHeader, type SharedFile, sharedDownloadMetadata } from '../api/share-access.ts';

export type DownloadableFile = Pick<File, 'fileName' | 'fileHash' | 'contentHash' | 'fileSize' | 'manifestHash'>;

/** A call that is retried on temporary failures. */
export type RetryingCall = <E extends AnyEndpoint>(endpoint: E, input: CallInput<E>) => Promise<AnswerOf<E>>;

export type DownloadSource = {
  findFile(call: RetryingCall): Promise<DownloadableFile>;
  findMetadata(call: RetryingCall): Promise<ManifestMetadata>;
  /** The path of the bytes on the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Begins to read the bytes, all in one answer. */
  open(client: Client, signal: AbortSignal): Promise<Response>;
};

export const ownFile = (fileHash: string): DownloadSource => ({
  findFile: call => call(getFile, { params: { hash: fileHash } }),
  findMetadata: call => call(downloadMetadata, { params: { fileHash } }),
  path: toPath(downloadFile, { params: { hash: fileHash } }),
  headers: {},
  open: (client, signal) => client.open(downloadFile, { params: { hash: fileHash }, signal }),
});

/** A file of an opened share. */
export function sharedFile(code: string, file: SharedFile, grant: string): DownloadSource {
  const params = { code, fileHash: file.fileHash };
  const headers = { [grantHeader]: grant };
  return {
    findFile: async () => file,
    findMetadata: call => call(sharedDownloadMetadata, { params, headers }),
    path: toPath(downloadSharedFile, { params }),
    headers,
    open: (client, signal) => client.open(downloadSharedFile, { params, headers, signal }),
  };
}

/** A file shared by a friend. */
export function friendFile(shareId: string, file: SharedFile): DownloadSource {
  const params = { id: shareId, fileHash: file.fileHash };
  return {
    findFile: async () => file,
    findMetadata: call => call(friendDownloadMetadata, { params }),
    path: toPath(downloadFriendFile, { params }),
    headers: {},
    open: (client, signal) => client.open(downloadFriendFile, { params, signal }),
  };
}
