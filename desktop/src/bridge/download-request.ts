// Kinds of downloads, for both bridges, and which of them fetch the same.
import type { DownloadRequest } from './bridge.ts';

export type ProofRequest = Extract<DownloadRequest, { kind: 'proof' }>;
export type ZipRequest = Extract<DownloadRequest, { kind: 'zip' }>;
export type FileRequest = Exclude<DownloadRequest, ProofRequest | ZipRequest>;

/** It has a hash that its bytes are checked against, and can be resumed. */
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

/** Tells ZIPs of other content apart. */
export const zipKeyOf = ({ content }: ZipRequest): string => JSON.stringify(content);

const placeOf = (wanted: FileRequest): string =>
  wanted.kind === 'file' ? '' : wanted.kind === 'shared-file' ? wanted.code : wanted.shareId;
