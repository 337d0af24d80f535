// Resumable upload of one file: progress is journaled before it is used, a later run continues from it, and a file
// that changes meanwhile is an error.

import { cancelUpload, resumeUpload } from '../api/chunked-uploads.ts';
import { abortDirectUpload } from '../api/direct-uploads.ts';
import { countChunks, type NameConflict, recommendChunkSize, type UploadResult } from '../api/uploads.ts';
import { type Bandwidth, unlimited } from './bandwidth.ts';
import { completeDirect, uploadDirect } from './direct-upload.ts';
import {
  type Clock,
  type Http,
  type Journal,
  type JournalEntry,
  type Server,
  type Source,
  systemClock,
  type UploadPlan,
} from './ports.ts';
import { type OnProgress, openProgress } from './progress.ts';
import { completeProxied, uploadProxied } from './proxied-upload.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { TransferError } from './transfer-error.ts';
import { callWithRetry, explain, findStatus, signalOf, type UploadAttempt } from './upload-attempt.ts';
import type { OnWait } from './wait.ts';

export type UploadRequest = {
  readonly source: Source;
  readonly mode: 'direct' | 'proxied';
  readonly fileName?: string;
  readonly contentType?: string;
  /** The file whose next version this becomes. */
  readonly targetFileId?: string;
  /** Its folder on the server. */
  readonly folder?: string;
  /** Where the folder has a file of this name; left out, both keep it. */
  readonly onConflict?: NameConflict;
  /** When it is known already. */
  readonly contentHash?: string;
  /** `require` fails if there is nothing to resume, `never` starts over. */
  readonly resume?: 'allow' | 'require' | 'never';
  readonly jobs?: number;
  readonly hashJobs?: number;
  readonly chunkSize?: number;
  readonly bandwidth?: Bandwidth;
  /** Ends the run and keeps its progress; rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  readonly onWait?: OnWait;
  /** Called with the stored file, before the upload is deleted from the journal. */
  readonly onStored?: (result: UploadResult) => Promise<void>;
};

type UploadPorts = {
  readonly server: Server;
  readonly http: Http;
  readonly journal: Journal;
  readonly clock?: Clock;
  readonly retryPolicy?: RetryPolicy;
};

type Uploaded = UploadResult & { readonly resumed: boolean; readonly mode: 'direct' | 'proxied' };

const defaultJobs = 4;

const newPlan = (request: UploadRequest): UploadPlan => {
  const { source, mode, targetFileId, folder, onConflict } = request;
  const chunkSize = request.chunkSize ?? recommendChunkSize(source.size);
  return {
    mode,
    clientId: crypto.randomUUID(),
    fileName: request.fileName ?? source.name,
    contentType: request.contentType ?? 'application/octet-stream',
    fileSize: source.size,
    revision: source.revision,
    chunkSize,
    totalChunks: countChunks(source.size, chunkSize),
    ...(targetFileId && { targetFileId }),
    ...(folder && { folder }),
    ...(onConflict && { onConflict }),
    ...(request.contentHash && { contentHash: request.contentHash }),
  };
};

const isSameFile = (plan: UploadPlan, source: Source): boolean =>
  plan.fileSize === source.size && plan.revision === source.revision;

function hasSameOptions(plan: UploadPlan, request: UploadRequest): boolean {
  const input = newPlan(request);
  const optionNames = ['mode', 'fileName', 'contentType', 'targetFileId', 'folder', 'onConflict'] as const;
  return (
    optionNames.every(field => plan[field] === input[field]) && (request.chunkSize ?? plan.chunkSize) === plan.chunkSize
  );
}

/** The entry to resume, if there is one and resuming is requested. */
function findEntry(request: UploadRequest, entry: JournalEntry | undefined): JournalEntry | undefined {
  const resume = request.resume ?? 'allow';
  const fits = entry && isSameFile(entry.plan, request.source) && hasSameOptions(entry.plan, request);
  if (fits && resume !== 'never') return entry;
  if (resume !== 'require') return undefined;
  if (entry && !isSameFile(entry.plan, request.source))
    throw new TransferError('source-changed', `${request.source.path} has changed since its upload started`);
  throw new TransferError('nothing-to-resume', `there is no upload of ${request.source.path} to resume`);
}

type Beginning = { readonly attempt: UploadAttempt; readonly isResumed: boolean; readonly isComplete: boolean };

async function begin(request: UploadRequest, ports: UploadPorts): Promise<Beginning> {
  const { journal, server, http, clock = systemClock, retryPolicy = defaultRetryPolicy } = ports;
  const { source } = request;
  const meter = openProgress(source.size, clock, request.onProgress);
  const retry = { clock, policy: retryPolicy, onRetry: () => meter.retried(), onWait: request.onWait };
  const signal = signalOf({ signal: request.signal });
  const found = journal.find();
  const entry = findEntry(request, found);
  if (found && !entry) await giveUpAtServer(ports, found.plan, request.signal);
  const status = entry && (await findStatus({ server, retry }, entry.plan.clientId, signal));
  const isComplete = status === 'COMPLETED' || status === 'FINALIZING';
  const isResumed = isComplete || status === 'UPLOADING' || status === 'PAUSED';
  const hashes = new Map(entry?.hashes);
  const plan = entry && isResumed ? entry.plan : newPlan(request);
  if (!isResumed) journal.begin(plan, hashes);
  if (status === 'PAUSED')
    await callWithRetry({ server, retry }, signal, resumeUpload, { body: { clientId: plan.clientId } });
  const attempt: UploadAttempt = {
    source,
    plan,
    journal,
    hashes,
    eTags: new Map(isResumed ? entry?.eTags : undefined),
    server,
    http,
    bandwidth: request.bandwidth ?? unlimited,
    meter,
    retry,
    jobs: request.jobs ?? defaultJobs,
    hashJobs: request.hashJobs ?? 2,
    signal: request.signal,
  };
  return { attempt, isResumed, isComplete };
}

const complete = (attempt: UploadAttempt): Promise<UploadResult> =>
  attempt.plan.mode === 'direct' ? completeDirect(attempt) : completeProxied(attempt);

async function transfer(attempt: UploadAttempt): Promise<UploadResult> {
  if (attempt.plan.mode === 'direct') {
    const result = await uploadDirect(attempt);
    return checked(result, attempt.plan.totalChunks === 1 ? attempt.hashes.get(0) : attempt.plan.contentHash);
  }
  const { result, contentHash } = await uploadProxied(attempt);
  return checked(result, contentHash);
}

function checked(result: UploadResult, contentHash: string | undefined): UploadResult {
  if (contentHash === undefined || result.contentHash === contentHash) return result;
  throw new TransferError(
    'wrong-bytes',
    `the server has stored other bytes than were sent, as file ${result.fileId}: ${result.contentHash} instead of ${contentHash}`,
  );
}

export async function uploadFile(request: UploadRequest, ports: UploadPorts): Promise<Uploaded> {
  if (request.source.size === 0)
    throw new TransferError('source-empty', `${request.source.path} is empty; an empty file proves nothing`);
  const { attempt, isResumed, isComplete } = await begin(request, ports);
  try {
    const result = isComplete ? await complete(attempt) : await transfer(attempt);
    await request.onStored?.(result);
    ports.journal.remove();
    attempt.meter.enter('done');
    return { ...result, resumed: isResumed, mode: attempt.plan.mode };
  } catch (failure) {
    request.signal?.throwIfAborted();
    const { error, isFinal } = await explain(attempt, failure);
    if (isFinal) {
      await giveUpAtServer(ports, attempt.plan, request.signal);
      ports.journal.remove();
    }
    throw error;
  }
}

/** Deletes the remains on the server early; they expire anyway, so a failure is ignored. */
async function giveUpAtServer(
  { server }: UploadPorts,
  { mode, clientId }: UploadPlan,
  signal: AbortSignal | undefined,
): Promise<void> {
  const more = signal ? { signal } : {};
  const request =
    mode === 'direct'
      ? server.client.call(abortDirectUpload, { params: { clientId }, ...more })
      : server.client.call(cancelUpload, { body: { clientId }, ...more });
  await request.catch(() => undefined);
}
