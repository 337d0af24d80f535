// One attempt to upload one file: the state and operations shared by both kinds of upload.

import { checkUpload } from '../api/chunked-uploads.ts';
import { type CallInput, type Client, toError, toPath } from '../api/client.ts';
import type { AnswerOf, AnyEndpoint } from '../api/endpoint.ts';
import { ApiError } from '../api/errors.ts';
import { uploadPart } from '../api/upload-sessions.ts';
import { chunkLength, type UploadResult, type UploadStatus } from '../api/uploads.ts';
import { type Bandwidth, paced } from './bandwidth.ts';
import type { Http, HttpAnswer, Journal, Server, Source, UploadPlan } from './ports.ts';
import type { ProgressMeter } from './progress.ts';
import { isPassing, isPassingStatus, isStorageFull, type RetryOptions, StoreBusy, withRetries } from './retry.ts';
import { TransferError } from './transfer-error.ts';

export type UploadAttempt = {
  readonly source: Source;
  readonly plan: UploadPlan;
  readonly journal: Journal;
  /** Known digests; grows. */
  readonly hashes: Map<number, string>;
  /** ETags of stored direct parts; grows. */
  readonly eTags: Map<number, string>;
  readonly server: Server;
  readonly http: Http;
  readonly bandwidth: Bandwidth;
  readonly meter: ProgressMeter;
  readonly retry: Omit<RetryOptions, 'signal'>;
  /** The number of parts sent concurrently. */
  readonly jobs: number;
  /** The number of chunks hashed concurrently. */
  readonly hashJobs: number;
  readonly signal: AbortSignal | undefined;
};

export const lengthOf = (plan: UploadPlan, index: number): number => chunkLength(plan.fileSize, plan.chunkSize, index);

const neverAborted = new AbortController().signal;

export const signalOf = ({ signal }: { readonly signal?: AbortSignal | undefined }): AbortSignal =>
  signal ?? neverAborted;

type Call = Pick<UploadAttempt, 'server' | 'retry'>;

/** A typed call that is retried on temporary failures. Only for idempotent calls. */
export function callWithRetry<E extends AnyEndpoint>(
  { server, retry }: Call,
  signal: AbortSignal,
  endpoint: E,
  input: CallInput<E>,
): Promise<AnswerOf<E>> {
  const call = server.client.call as (endpoint: E, input: CallInput<E>) => ReturnType<Client['call']>;
  return withRetries({ ...retry, signal }, endpoint.name, () => call(endpoint, { ...input, signal })) as Promise<
    AnswerOf<E>
  >;
}

/** The plan for both kinds of start call; the same in every call of one upload. */
export const toStartBody = ({ plan }: Pick<UploadAttempt, 'plan'>) => ({
  clientId: plan.clientId,
  fileName: plan.fileName,
  fileSize: plan.fileSize,
  contentType: plan.contentType,
  chunkSize: plan.chunkSize,
  totalChunks: plan.totalChunks,
  ...(plan.targetFileId && { targetFileId: plan.targetFileId }),
  ...(plan.folder && { path: plan.folder }),
  ...(plan.onConflict && { onConflict: plan.onConflict }),
  ...(plan.contentHash && { contentHash: plan.contentHash }),
});

/** Sends the bytes of one part once. */
async function putPart(
  attempt: UploadAttempt,
  index: number,
  signal: AbortSignal,
  target: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<HttpAnswer> {
  const size = lengthOf(attempt.plan, index);
  const start = index * attempt.plan.chunkSize;
  let sent = 0;
  const count = (bytes: number) => {
    sent += bytes;
    attempt.meter.moved(bytes);
  };
  const body = paced(attempt.source.read(start, start + size), attempt.bandwidth, signal, count);
  const blob = attempt.source.slice?.(start, start + size);
  const slice = blob && { slice: { blob, onSent: count } };
  let isTaken = false;
  try {
    const answer = await attempt.http.send({ ...target, method: 'PUT', size, body, ...slice, signal });
    isTaken = answer.status >= 200 && answer.status < 300;
    if (isTaken) await attempt.source.assertUnchanged();
    return answer;
  } finally {
    if (!isTaken) attempt.meter.moved(-sent);
  }
}

export type SignedPart = {
  readonly index: number;
  readonly uploadUrl: string;
  readonly headers: Readonly<Record<string, string>>;
};

export const toServerError = ({ body, status, headers }: HttpAnswer): Promise<Error> =>
  toError(new Response(body, { status, headers }));

/** The server's own store responds as the server does; other stores have errors of their own. */
async function toStoreError(answer: HttpAnswer): Promise<Error> {
  const error = await toServerError(answer);
  return isStorageFull(error) ? error : new StoreBusy(answer.status, answer.headers.get('retry-after'));
}

/** The ETag, or `refused` if the store rejects the URL because it has expired. */
export function sendDirectPart(
  attempt: UploadAttempt,
  part: SignedPart,
  signal: AbortSignal,
): Promise<string | 'refused'> {
  return withRetries({ ...attempt.retry, signal }, `part ${part.index}`, async () => {
    const answer = await putPart(attempt, part.index, signal, { url: part.uploadUrl, headers: part.headers });
    if (isPassingStatus(answer.status)) throw await toStoreError(answer);
    if (answer.status === 403) return 'refused';
    if (answer.status < 200 || answer.status >= 300)
      throw new TransferError('part-refused', `the object store rejects part ${part.index} with ${answer.status}`);
    return (answer.headers.get('etag') ?? '').slice(0, 128);
  });
}

type Authorization = { readonly authorization?: string };

/** Repeated once if another program has renewed the token meanwhile. */
export async function sendWithToken(
  server: Server,
  send: (authorization: Authorization) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const toHeader = (token: string | undefined) => (token ? { authorization: `Bearer ${token}` } : {});
  const token = await server.token();
  const answer = await send(toHeader(token));
  if (answer.status !== 401) return answer;
  const next = await server.token();
  return next === token ? answer : send(toHeader(next));
}

export function sendProxiedPart(attempt: UploadAttempt, index: number, signal: AbortSignal): Promise<void> {
  const { server, plan } = attempt;
  const url = server.baseUrl.replace(/\/+$/, '') + toPath(uploadPart, { params: { clientId: plan.clientId, index } });
  const type = { 'content-type': 'application/octet-stream' };
  return withRetries({ ...attempt.retry, signal }, `part ${index}`, async () => {
    const answer = await sendWithToken(server, authorization =>
      putPart(attempt, index, signal, { url, headers: { ...type, ...authorization } }),
    );
    if (answer.status >= 200 && answer.status < 300) return;
    throw await toServerError(answer);
  });
}

export async function findStatus(call: Call, clientId: string, signal: AbortSignal): Promise<UploadStatus | undefined> {
  try {
    return (await callWithRetry(call, signal, checkUpload, { query: { clientId } })).status;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Reading back a large file can exceed the time limits of many calls: polls while the server works on it. */
export async function completeWithRetry(
  attempt: UploadAttempt,
  complete: (signal: AbortSignal) => Promise<UploadResult>,
): Promise<UploadResult> {
  for (let wasDone = false; ; ) {
    try {
      return await complete(signalOf(attempt));
    } catch (error) {
      if (attempt.signal?.aborted || wasDone || !isPassing(error)) throw error;
      const status = await findStatus(attempt, attempt.plan.clientId, signalOf(attempt));
      wasDone = status === 'COMPLETED'; // then only the answer is missing
      if (status !== 'FINALIZING' && !wasDone) throw error;
    }
  }
}

const lost = ['UPLOAD_SESSION_NOT_FOUND', 'GONE'];
const ended = ['CANCELLED', 'EXPIRED', 'FAILED', undefined];

type Ended = {
  readonly error: unknown;
  /** The upload cannot be resumed later. */
  readonly isFinal: boolean;
};

/** When the server rejects a part or a call, the upload was often paused or cancelled elsewhere. */
export async function explain(attempt: UploadAttempt, error: unknown): Promise<Ended> {
  if (error instanceof TransferError && error.failure !== 'part-refused')
    return { error, isFinal: finalFailures.includes(error.failure) };
  if (!(error instanceof TransferError || error instanceof ApiError) || isPassing(error))
    return { error, isFinal: false };
  const { clientId } = attempt.plan;
  const status = await findStatus(attempt, clientId, signalOf(attempt)).catch(() => 'UNKNOWN');
  const isFinal = ended.some(one => one === status);
  const kind = error instanceof ApiError ? error.kind : 'CONFLICT';
  if (kind === 'CONFLICT' && status === 'PAUSED')
    return {
      error: new TransferError('paused', `upload ${clientId} was paused by another client: resume it`, error),
      isFinal,
    };
  if (status === 'CANCELLED' || (isFinal && lost.includes(kind)))
    return {
      error: new TransferError('cancelled', `upload ${clientId} was cancelled on the server: start it again`, error),
      isFinal,
    };
  return { error, isFinal };
}

const finalFailures = ['source-changed', 'cancelled', 'wrong-bytes'];

/** Loops that take consecutive numbers, `count` of them concurrently. */
export const inParallel = (count: number, loop: () => Promise<void>): (() => Promise<void>)[] =>
  Array.from({ length: Math.max(1, count) }, () => loop);
