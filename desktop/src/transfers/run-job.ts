// Run of one upload or download, from its start or from where an earlier run ended.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { abortDirectUpload } from '@recordproof/shared/api/direct-uploads.ts';
import { draftPath, openFileSink } from '@recordproof/shared/node/file-sink.ts';
import { openFileSource } from '@recordproof/shared/node/file-source.ts';
import type { HashPool } from '@recordproof/shared/node/hash-pool.ts';
import { openUploadJournal } from '@recordproof/shared/node/upload-journals.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import { downloadZip } from '@recordproof/shared/transfer/download-zip.ts';
import type { Http, Server } from '@recordproof/shared/transfer/ports.ts';
import type { OnProgress } from '@recordproof/shared/transfer/progress.ts';
import { uploadFile } from '@recordproof/shared/transfer/upload.ts';
import { uploadSet } from '@recordproof/shared/transfer/upload-set.ts';
import type { Outcome } from '../bridge/bridge.ts';
import { type FileRequest, isFile, type ZipRequest, zipKeyOf } from '../bridge/download-request.ts';
import { findRequestSource } from '../bridge/request-source.ts';
import { toRejected } from '../ipc/failures.ts';
import type { Job } from './messages.ts';
import { saveProof } from './save-proof.ts';

export type Running = {
  readonly server: Server;
  readonly account: string;
  readonly http: Http;
  readonly pool: HashPool;
  readonly notes: string;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
};

type UploadJob = Extract<Job, { kind: 'upload' }>;
type UploadSetJob = Extract<Job, { kind: 'upload-set' }>;
type DownloadJob = Extract<Job, { kind: 'download' }>;

const openJournal = ({ notes, server, account }: Running, path: string) =>
  openUploadJournal(join(notes, 'uploads'), { path, server: server.baseUrl, account });

async function upload(run: Running, { path, folder, targetFileId }: UploadJob): Promise<Outcome> {
  await using source = await openFileSource(path, run.pool);
  await using journal = openJournal(run, source.path);
  const { fileHash } = await uploadFile(
    {
      source,
      mode: 'direct',
      hashJobs: run.pool.size,
      signal: run.signal,
      onProgress: run.onProgress,
      ...(folder !== null && { folder }),
      ...(targetFileId !== null && { targetFileId }),
    },
    { server: run.server, http: run.http, journal },
  );
  return { kind: 'done', fileHash, verified: true, rejected: [] };
}

async function uploadTogether(run: Running, id: string, { files }: UploadSetJob): Promise<Outcome> {
  const members = files.map(({ path, folder }) => ({ folder, open: () => openFileSource(path, run.pool) }));
  const outcomes = await uploadSet({ id, members, signal: run.signal, onProgress: run.onProgress }, run);
  return { kind: 'done', fileHash: null, verified: false, rejected: toRejected(outcomes) };
}

async function download(run: Running, { target }: DownloadJob, request: FileRequest): Promise<Outcome> {
  const { signal, onProgress, notes, pool } = run;
  const lockFolder = join(notes, 'downloads');
  const { file } = await downloadFile(
    {
      source: await findRequestSource(run.server.client, request, signal),
      signal,
      onProgress: () => onProgress,
      openSink: () => openFileSink({ target, key: request.fileHash, mayReplace: true, lockFolder, pool }),
    },
    run,
  );
  return { kind: 'done', fileHash: file.fileHash, verified: true, rejected: [] };
}

async function saveZip(run: Running, target: string, request: ZipRequest): Promise<Outcome> {
  const { signal, onProgress, notes, pool, server } = run;
  const lockFolder = join(notes, 'downloads');
  const openSink = () => openFileSink({ target, key: zipKeyOf(request), mayReplace: true, lockFolder, pool });
  await downloadZip({ content: request.content, size: request.size, openSink, signal, onProgress }, server);
  return { kind: 'done', fileHash: null, verified: false, rejected: [] };
}

export async function runJob(run: Running, id: string, job: Job): Promise<Outcome> {
  if (job.kind === 'upload-set') return uploadTogether(run, id, job);
  if (job.kind === 'upload') return upload(run, job);
  if (job.wanted.kind === 'proof') return saveProof(run, job.target, job.wanted);
  if (job.wanted.kind === 'zip') return saveZip(run, job.target, job.wanted);
  return download(run, job, job.wanted);
}

/** Removes what it left here and at the server, which would remove its part later by itself. */
export async function undoJob(run: Running, job: Job): Promise<void> {
  if (job.kind === 'upload-set') return; // each file of it is stored, or is not
  if (job.kind === 'download') {
    const { target, wanted } = job;
    if (wanted.kind === 'proof') return;
    await rm(draftPath(target, isFile(wanted) ? wanted.fileHash : zipKeyOf(wanted)), { force: true });
    return;
  }
  await using journal = openJournal(run, job.path);
  const clientId = journal.find()?.plan.clientId;
  journal.remove();
  if (clientId !== undefined)
    await run.server.client.call(abortDirectUpload, { params: { clientId } }).catch(() => undefined);
}
