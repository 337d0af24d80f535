// Upload and download functions of the browser bridge, loaded after the first rows of the file list.
import { issueStreamToken } from '@recordproof/shared/api/auth.ts';
import { downloadFolder } from '@recordproof/shared/api/folders.ts';
import { toVoucherName, voucherNames, writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { toSavedName } from '@recordproof/shared/shown-name.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import { downloadZip } from '@recordproof/shared/transfer/download-zip.ts';
import { fetchEvidence, fetchEvidenceBytes } from '@recordproof/shared/transfer/fetch-evidence.ts';
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import type { OnProgress } from '@recordproof/shared/transfer/progress.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { uploadFile } from '@recordproof/shared/transfer/upload.ts';
import { uploadSet } from '@recordproof/shared/transfer/upload-set.ts';
import { toRejected } from '../../ipc/failures.ts';
import type { DownloadsBridge, Outcome } from '../bridge.ts';
import type { FileRequest, ProofRequest, ZipRequest } from '../download-request.ts';
import { findRequestSource } from '../request-source.ts';
import { digestInWorker } from './hash-in-worker.ts';
import { browserHttp } from './http.ts';
import { openJournal } from './journal.ts';
import { openSink, type Pieces } from './sink.ts';
import { toSource } from './source.ts';
import type { UploadTask } from './upload-list.ts';

export { groupSmall } from '@recordproof/shared/transfer/upload-set.ts';
export { readPicture } from '../read-picture.ts';
export type { Pieces } from './sink.ts';

type Sending = {
  readonly id: string;
  readonly task: UploadTask;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  readonly onStored: (file: File, fileHash: string) => void;
};

const typeOf = ({ type }: File) => (type === '' ? {} : { contentType: type });

/** One file goes straight to the object store, small files go in one call. */
export async function sendFiles({ id, task, onStored, ...running }: Sending, server: Server): Promise<Outcome> {
  const ports = { server, http: browserHttp };
  const { folder, targetFileId, held } = task;
  const [first, ...others] = held ?? [];
  if (!first) throw new Error(`upload ${id} has no file`);
  if (others.length > 0) {
    const members = [first, ...others].map(one => ({
      ...{ folder: one.folder, ...typeOf(one.file) },
      open: async () => toSource(one.file),
    }));
    const outcomes = await uploadSet({ id, members, ...running }, ports);
    for (const [at, { file }] of [first, ...others].entries()) {
      const outcome = outcomes[at];
      if (outcome && !(outcome instanceof Error)) onStored(file, outcome.fileHash);
    }
    return { kind: 'done', fileHash: null, verified: false, rejected: toRejected(outcomes) };
  }
  await using journal = openJournal(id);
  const { fileHash } = await uploadFile(
    {
      ...running,
      ...{ source: toSource(first.file), mode: 'direct', ...typeOf(first.file) },
      ...(folder !== null && { folder }),
      ...(targetFileId !== null && { targetFileId }),
    },
    { ...ports, journal },
  );
  onStored(first.file, fileHash);
  return { kind: 'done', fileHash, verified: false, rejected: [] };
}

/** By its name, its size, and the bytes of a part that was sent: name and time alone do not prove it the same file. */
export async function assertSame(id: string, { size, fileName }: UploadTask, file: File): Promise<void> {
  const entry = openJournal(id).find();
  const reject = () => {
    const chosen = `${file.name} of ${file.size} bytes`;
    throw new TransferError(
      'source-changed',
      `${chosen} is not the unchanged ${fileName} of ${size}: choose that file`,
    );
  };
  if (file.name !== fileName || file.size !== size) reject();
  const [index, hash] = entry?.hashes.entries().next().value ?? [];
  if (!entry || index === undefined) return;
  const start = index * entry.plan.chunkSize;
  const slice = file.slice(start, Math.min(file.size, start + entry.plan.chunkSize));
  if ((await digestInWorker(slice)) !== hash) reject();
}

/** Saved, never opened, so that nothing of it runs at the origin of this page. */
function save(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  saveFrom(url, fileName);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function saveFrom(url: string, fileName: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = toSavedName(fileName);
  link.click();
}

const saveBytes = (bytes: Uint8Array, fileName: string): void => save(new Blob([new Uint8Array(bytes)]), fileName);

export async function fetchProof(
  { client }: Server,
  { fileId, fileName, form }: ProofRequest,
  signal: AbortSignal,
): Promise<void> {
  const evidence = await fetchEvidence(client, fileId, signal);
  if (form === 'evidence') {
    saveBytes(writeEvidenceArchive(evidence), fileName);
    return;
  }
  saveBytes(evidence.archive, fileName);
  for (const name of voucherNames) {
    const bytes = evidence[name];
    if (bytes !== undefined) saveBytes(bytes, toVoucherName(fileName, name));
  }
}

type Running = { readonly kept: Pieces; readonly signal: AbortSignal; readonly onProgress: OnProgress };

/**
 * Of a folder: browsers keep blobs in memory, entirely or for a time. Larger ones are downloaded by the browser itself.
 */
const mostKeptBytes = 512 * 2 ** 20;

/** Whether the browser itself continues the download. */
export async function fetchZip(
  server: Server,
  { content, size, fileName }: ZipRequest,
  { kept, ...running }: Running,
): Promise<boolean> {
  const openPieces = async () => openSink(kept, whole => save(whole, fileName));
  const mostBytes = content.kind === 'folder' ? mostKeptBytes : Number.POSITIVE_INFINITY;
  const isKept = await downloadZip({ content, size, openSink: openPieces, mostBytes, ...running }, server);
  if (!isKept && content.kind === 'folder') await handOver(server, content.path, { fileName, ...running });
  return !isKept;
}

type HandedOver = Pick<ZipRequest, 'fileName'> & Pick<Running, 'signal'>;

async function handOver({ client, baseUrl }: Server, path: string, { fileName, signal }: HandedOver): Promise<void> {
  const { sseToken: token } = await client.call(issueStreamToken, { signal });
  const query = new URLSearchParams({ path, proofs: 'true', token });
  saveFrom(`${baseUrl}${downloadFolder.path}?${query}`, fileName);
}

export async function fetchFile(
  server: Server,
  request: FileRequest,
  { kept, signal, onProgress }: Running,
): Promise<void> {
  await downloadFile(
    {
      source: await findRequestSource(server.client, request, signal),
      openSink: async () => openSink(kept, whole => save(whole, request.fileName)),
      signal,
      onProgress: () => onProgress,
    },
    { server, http: browserHttp },
  );
}

export const readProof = async ({ client }: Server, fileId: string, signal: AbortSignal | undefined) =>
  new Uint8Array(await fetchEvidenceBytes(client, fileId, signal ? { signal } : {}));

type SmallFile = Parameters<DownloadsBridge['read']>[0];

const openSignal = () => new AbortController().signal;

export async function readChecked(server: Server, { source: request, maxBytes }: SmallFile, signal = openSignal()) {
  const kept: Pieces = { blob: new Blob() };
  const openChecked: Parameters<typeof downloadFile>[0]['openSink'] = async file => {
    if (file.fileSize <= maxBytes) return openSink(kept, () => undefined);
    const message = `the file has ${file.fileSize} bytes, a preview at most ${maxBytes}: download it`;
    throw new TransferError('too-large', message);
  };
  const source = await findRequestSource(server.client, request, signal);
  await downloadFile({ source, openSink: openChecked, signal }, { server, http: browserHttp });
  return new Uint8Array(await kept.blob.arrayBuffer());
}
