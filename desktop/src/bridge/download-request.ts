// Download requests of both bridges, and the check whether two of them fetch the same file.
import type { DownloadRequest } from './bridge.ts';

export type ProofRequest = Extract<DownloadRequest, { kind: 'proof' }>;
export type ZipRequest = Extract<DownloadRequest, { kind: 'zip' }>;
export type FileRequest = Exclude<DownloadRequest, ProofRequest | ZipRequest>;

/** It has a hash that its bytes are checked against, and can be resumed. */
export const isFile = (request: DownloadRequest): request is FileRequest =>
  request.kind !== 'proof' && request.kind !== 'zip';

type Named = { readonly task: DownloadRequest; readonly state: { readonly kind: string } };

/** Whether this download fetches the same and is not done: a second one would load the same bytes again. */
export function isUnfinished({ task, state }: Named, request: DownloadRequest): boolean {
  if (state.kind === 'done' || task.kind !== request.kind) return false;
  if (task.kind === 'proof')
    return request.kind === 'proof' && task.fileId === request.fileId && task.form === request.form;
  if (task.kind === 'zip') return request.kind === 'zip' && zipKeyOf(task) === zipKeyOf(request);
  if (request.kind === 'proof' || request.kind === 'zip' || task.fileHash !== request.fileHash) return false;
  return shareOf(task) === shareOf(request);
}

/** Tells ZIPs of other content apart. */
export const zipKeyOf = ({ content }: ZipRequest): string => JSON.stringify(content);

const shareOf = (request: FileRequest): string =>
  request.kind === 'file' ? '' : request.kind === 'shared-file' ? request.code : request.shareId;
