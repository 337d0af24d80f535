// Bulk uploads of small files: each call announces its files with their digests before the bytes, so that a file that
// changed in transit is rejected alone. An interrupted call is repeated under the same requestId.

import { toPath } from '../api/client.ts';
import { ApiError, findErrorKind } from '../api/errors.ts';
import {
  type BulkResult,
  bulkResults,
  mostBulkBytes,
  mostBulkFileBytes,
  mostBulkFiles,
  uploadMany,
} from '../api/short-uploads.ts';
import type { NameConflict } from '../api/uploads.ts';
import { type Bandwidth, paced, unlimited } from './bandwidth.ts';
import { type Clock, type Http, type Server, systemClock } from './ports.ts';
import { type OnProgress, openProgress, type ProgressMeter } from './progress.ts';
import { defaultRetryPolicy, isPassing, type RetryPolicy, withRetries } from './retry.ts';
import { TransferError } from './transfer-error.ts';
import { sendWithToken, signalOf, toServerError } from './upload-attempt.ts';
import type { OnWait } from './wait.ts';

export type BulkFile = {
  readonly fileName: string;
  readonly fileSize: number;
  readonly contentHash: string;
  readonly contentType?: string;
  /** Its folder on the server. */
  readonly path?: string;
  /** The file whose next version this becomes. */
  readonly targetFileId?: string;
  readonly onConflict?: NameConflict;
};

type BulkRequest = {
  /** The same for the same files, until there is an answer. */
  readonly requestId: string;
  readonly files: readonly BulkFile[];
  /** The bytes of the file at this index; missing or different bytes fail only that file. */
  readonly read: (index: number) => AsyncIterable<Uint8Array>;
  /** The same without reading, if the system can send it so. */
  readonly slice?: (index: number) => Blob;
  readonly bandwidth?: Bandwidth;
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  readonly onWait?: OnWait;
};

type BulkPorts = {
  readonly server: Server;
  readonly http: Http;
  readonly clock?: Clock;
  readonly retryPolicy?: RetryPolicy;
};

const mostInOneCall = { files: mostBulkFiles, bytes: mostBulkBytes };

/** In order, as many per set as one call accepts, or fewer on request. */
export function toBulkSets<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  most: { readonly files: number; readonly bytes: number } = mostInOneCall,
): Item[][] {
  const sets: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(item);
    const last = sets.at(-1);
    const isFull = last === undefined || last.length >= most.files || bytes + size > most.bytes;
    if (isFull) sets.push([item]);
    else last.push(item);
    bytes = isFull ? size : bytes + size;
  }
  return sets;
}

/** Empty files are not stored, large ones are uploaded in chunks. */
export const fitsIntoBulk = (size: number): boolean => size > 0 && size <= mostBulkFileBytes;

const mostAnswerBytes = 2 * 1024 * 1024;
const blockBytes = 256 * 1024;
const text = new TextEncoder();

type Form = { readonly boundary: string; readonly heads: readonly Uint8Array[]; readonly tail: Uint8Array; readonly size: number }; // biome-ignore format: one line

function toForm({ requestId, files }: BulkRequest): Form {
  const boundary = `recordproof-${crypto.randomUUID()}`;
  const named = (name: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const head = named('file', '; filename="file"');
  const first = text.encode(`${named('manifest')}${JSON.stringify({ requestId, files })}\r\n${head}`);
  const next = text.encode(`\r\n${head}`);
  const heads = files.map((_, index) => (index === 0 ? first : next));
  const tail = text.encode(`\r\n--${boundary}--\r\n`);
  const size = [...heads, tail].reduce((sum, { length }) => sum + length, 0);
  return { boundary, heads, tail, size: files.reduce((sum, { fileSize }) => sum + fileSize, size) };
}

/** Exactly the declared number of bytes: missing ones are padded, surplus ones dropped. */
async function* readExactly(request: BulkRequest, index: number): AsyncIterable<Uint8Array> {
  let left = request.files[index]?.fileSize ?? 0;
  try {
    for await (const block of request.read(index)) {
      if (left === 0) break;
      yield block.subarray(0, left);
      left -= Math.min(left, block.length);
    }
  } catch {
    request.signal?.throwIfAborted();
  }
  for (; left > 0; left -= Math.min(left, blockBytes)) yield new Uint8Array(Math.min(left, blockBytes));
}

async function* readForm(request: BulkRequest, { heads, tail }: Form): AsyncIterable<Uint8Array> {
  for (const [index, head] of heads.entries()) {
    yield head;
    yield* readExactly(request, index);
  }
  yield tail;
}

function toBlob({ files, slice }: BulkRequest, { heads, tail }: Form): Blob | undefined {
  if (!slice) return undefined;
  const parts = heads.flatMap((head, index) => [new Uint8Array(head), slice(index).slice(0, files[index]?.fileSize)]);
  return new Blob([...parts, new Uint8Array(tail)]);
}

/** Collects small blocks, because each sent block is awaited. */
async function* gathered(blocks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held = new Uint8Array(blockBytes);
  let filled = 0;
  for await (const block of blocks) {
    if (filled + block.length > held.length) {
      if (filled > 0) yield held.subarray(0, filled);
      held = new Uint8Array(blockBytes);
      filled = 0;
    }
    if (block.length > held.length) yield block;
    else {
      held.set(block, filled);
      filled += block.length;
    }
  }
  if (filled > 0) yield held.subarray(0, filled);
}

async function sendOnce(request: BulkRequest, ports: BulkPorts, meter: ProgressMeter): Promise<BulkResult[]> {
  const { server, http } = ports;
  const signal = signalOf(request);
  const form = toForm(request);
  const contentBytes = request.files.reduce((sum, { fileSize }) => sum + fileSize, 0);
  const answer = await sendWithToken(server, async authorization => {
    let sent = 0;
    let counted = 0;
    meter.enter('sending');
    const count = (bytes: number) => {
      sent += bytes;
      const moved = Math.floor((sent / form.size) * contentBytes);
      meter.moved(moved - counted);
      counted = moved;
      if (sent === form.size) meter.enter('finishing');
    };
    const body = paced(gathered(readForm(request, form)), request.bandwidth ?? unlimited, signal, count);
    const url = server.baseUrl.replace(/\/+$/, '') + toPath(uploadMany, {});
    const headers = { ...authorization, 'content-type': `multipart/form-data; boundary=${form.boundary}` };
    const blob = toBlob(request, form);
    const slice = blob && { slice: { blob, onSent: count } };
    let isTaken = false;
    try {
      const input = { method: 'POST', url, headers, size: form.size, body, signal, mostAnswerBytes } as const;
      const answer = await http.send({ ...input, ...slice });
      isTaken = answer.status === 200;
      return answer;
    } finally {
      if (!isTaken) meter.moved(-counted);
    }
  });
  if (answer.status !== 200) throw await toServerError(answer);
  return parseResults(answer.body, request.files.length);
}

function parseResults(body: Uint8Array, count: number): BulkResult[] {
  let answered: number;
  try {
    const { data } = JSON.parse(new TextDecoder().decode(body)) as { data: unknown };
    const { results } = bulkResults.parse(data);
    if (results.length === count) return results;
    answered = results.length;
  } catch (error) {
    throw new TransferError('wrong-answer', 'the response to the bulk upload has an unknown format', error);
  }
  throw new TransferError(
    'wrong-answer',
    `the server answered for ${answered} files, and ${count} were sent: check the list of files, then try again`,
  );
}

/** The error for a file that was not stored, or not with certainty, as a single upload would throw it. */
export const toRejection = ({
  status,
  code,
  message,
  retryAfterSeconds,
}: Exclude<BulkResult, { status: 'STORED' }>): ApiError =>
  new ApiError(findErrorKind(code) ?? 'INTERNAL', message, {
    isOutcomeUnknown: status === 'UNKNOWN',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });

/**
 * One result per file, in order. Temporary errors and unknown outcomes are retried together with all others, at no
 * cost: under the same requestId the server stores nothing twice.
 */
export async function uploadBulk(request: BulkRequest, ports: BulkPorts): Promise<BulkResult[]> {
  const { clock = systemClock, retryPolicy: policy = defaultRetryPolicy } = ports;
  const totalBytes = request.files.reduce((sum, { fileSize }) => sum + fileSize, 0);
  const meter = openProgress(totalBytes, clock, request.onProgress);
  const { onWait } = request;
  const retry = { clock, policy, onRetry: () => meter.retried(), onWait, signal: signalOf(request) };
  let latest: BulkResult[] | undefined;
  try {
    return await withRetries(retry, `${request.files.length} files`, async () => {
      latest = await sendOnce(request, ports, meter);
      const busy = latest.flatMap(result => (result.status === 'STORED' ? [] : [toRejection(result)])).find(isPassing);
      if (busy) throw busy;
      return latest;
    });
  } catch (error) {
    request.signal?.throwIfAborted();
    if (latest === undefined || !isPassing(error)) throw error;
    return latest;
  }
}
