// Uploads of a watch. A call that was started, by this run or by one that crashed, is repeated under its requestId
// until the result of each of its files is known; files that the server has stored already are not stored again.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import { listVersions, searchFiles } from '@recordproof/shared/api/files.ts';
import type { BulkResult } from '@recordproof/shared/api/short-uploads.ts';
import { openFileSource } from '@recordproof/shared/node/file-source.ts';
import { type BulkFile, fitsIntoBulk, toRejection, uploadBulk } from '@recordproof/shared/transfer/bulk-upload.ts';
import { defaultRetryPolicy, isPassing } from '@recordproof/shared/transfer/retry.ts';
import { toFailure } from '../platform/failure.ts';
import type { Transfers } from '../platform/transfers.ts';
import type { StoredAs } from '../uploads/finished-files.ts';
import { type UploadOptions, uploadOne } from '../uploads/upload-one.ts';
import type { Sending, WatchEvent } from './events.ts';
import { revisionOf } from './scan-folder.ts';
import { diskPathOf, labelOf, type Watching } from './watching.ts';

type Newest = { readonly fileId: string | null; readonly version: number };

/** The newest version of the file, which another client may have written; null when none is left. */
async function findNewest({ server, signal }: Transfers, fileId: string): Promise<Newest> {
  try {
    const versions = await server.client.call(listVersions, { params: { id: fileId }, signal });
    const newest = versions.find(({ isLatest }) => isLatest);
    return { fileId: newest?.id ?? null, version: newest?.version ?? 0 };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { fileId: null, version: 0 };
    throw error;
  }
}

/** A server remembers an id for a day. */
const keptMs = 23 * 3600_000;
/** The watch reports the outage and retries. */
const retryPolicy = { ...defaultRetryPolicy, maxTries: 3 };

type Outcome = StoredAs | Error;

/**
 * `again`: the result of the first attempt is unknown. Resolves to the rejected files, which are offered again later.
 */
export async function sendCall(watching: Watching, requestId: string, again: boolean): Promise<readonly Sending[]> {
  const call = watching.memory.calls.get(requestId);
  const [first] = call?.files ?? [];
  if (call === undefined || first === undefined) return [];
  const { files, ended } = call;
  const isTogether = fitsIntoBulk(first.size) && Date.now() - call.notedAt < keptMs;
  const outcomes = isTogether ? await sendTogether(watching, files) : await sendEach(watching, files, ended, again);
  const events: WatchEvent[] = [];
  const rejected: Sending[] = [];
  let passing: Error | undefined;
  for (const [at, sending] of files.entries()) {
    const outcome = outcomes[at];
    if (outcome === undefined || ended.has(sending.path)) continue;
    if (outcome instanceof Error && isPassing(outcome)) {
      passing = outcome;
      continue;
    }
    const fileEvents = await toEvents(watching, sending, outcome);
    if (fileEvents.at(-1)?.event === 'not-stored') rejected.push(sending);
    events.push(...fileEvents);
  }
  await watching.note(...events);
  if (passing) throw passing;
  return rejected;
}

async function sendTogether(watching: Watching, sendings: readonly Sending[]): Promise<Outcome[]> {
  const { server, http, pool, bandwidth, signal, onWait } = watching.transfers;
  const [{ requestId } = { requestId: '' }] = sendings;
  async function* read(index: number) {
    await using source = await openFileSource(diskPathOf(watching.folder, sendings[index] ?? { path: '' }), pool);
    yield* source.read(0, source.size);
  }
  const files = sendings.map(sending => toBulkFile(watching, sending));
  const request = { requestId, files, read, bandwidth, signal, onWait };
  return (await uploadBulk(request, { server, http, retryPolicy })).map(toOutcome);
}

const toOutcome = (result: BulkResult): Outcome => (result.status === 'STORED' ? result : toRejection(result));

function toBulkFile(watching: Watching, { path, size, contentHash, targetFileId }: Sending): BulkFile {
  const { fileName, folder } = labelOf(watching, path);
  const more = { ...(folder !== undefined && { path: folder }), ...(targetFileId !== undefined && { targetFileId }) };
  return { fileName, fileSize: size, contentHash, ...more };
}

/** Large files, and small ones of which the server has forgotten the call. */
async function sendEach(
  watching: Watching,
  sendings: readonly Sending[],
  ended: ReadonlySet<string>,
  again: boolean,
): Promise<(Outcome | undefined)[]> {
  const outcomes: (Outcome | undefined)[] = [];
  for (const sending of sendings) {
    const found = again && !ended.has(sending.path) ? await findStored(watching, sending) : undefined;
    outcomes.push(ended.has(sending.path) ? undefined : (found ?? (await sendAlone(watching, sending))));
  }
  return outcomes;
}

async function sendAlone(watching: Watching, sending: Sending): Promise<Outcome> {
  const { path, contentHash, targetFileId } = sending;
  const diskPath = diskPathOf(watching.folder, sending);
  if (revisionOf(diskPath) !== sending.revision)
    return new Error(`${path} was changed after it was hashed: the next scan sends its new content`);
  const { fileName, folder } = labelOf(watching, path);
  const options: UploadOptions = {
    ...{ path: diskPath, fileName, contentHash, jobs: 4, skipExisting: false },
    mode: watching.proxied ? 'proxied' : 'direct',
    resume: 'allow',
    ...(folder !== undefined && { folder }),
    ...(targetFileId !== undefined && { targetFileId }),
  };
  try {
    return await uploadOne(watching.transfers, options, path);
  } catch (error) {
    watching.transfers.signal.throwIfAborted();
    const { ending } = toFailure(error, 'recordproof watch');
    if (!['damaged', 'refused', 'usage'].includes(ending)) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The result of a lost answer: a version with this content that is not in our state. */
async function findStored({ transfers, memory, folder }: Watching, sending: Sending): Promise<StoredAs | undefined> {
  const { contentHash, path } = sending;
  const label = labelOf({ folder }, path);
  const where = label.folder === undefined ? {} : { path: label.folder };
  const keyword = contentHash.slice('sha256:'.length);
  const query = { keyword, keywordMode: 'EXACT_HASH', status: 1, page: 1, size: 100, ...where } as const;
  const { records } = await transfers.server.client.call(searchFiles, { query, signal: transfers.signal });
  const found = records.find(
    record =>
      record.fileName === label.fileName &&
      (record.path ?? undefined) === label.folder &&
      record.contentHash === contentHash &&
      !memory.versions.has(record.id),
  );
  return found && { ...found, fileId: found.id };
}

const otherVersions = ['VERSION_SOURCE_INVALID', 'VERSION_CONFLICT'];

async function toEvents(watching: Watching, sending: Sending, outcome: Outcome): Promise<WatchEvent[]> {
  const { path, revision, requestId, targetFileId } = sending;
  if (!(outcome instanceof Error)) return [toStored(sending, outcome)];
  const { kind, message } = toFailure(outcome, 'recordproof watch');
  const rejected = { event: 'not-stored', path, revision, requestId, why: message } as const;
  if (targetFileId === undefined || !otherVersions.includes(kind)) return [rejected];
  const found = await findStored(watching, sending);
  if (found) return [toStored(sending, found)];
  return [rejected, { event: 'continues', path, ...(await findNewest(watching.transfers, targetFileId)) }];
}

function toStored(
  { path, onDisk, revision, requestId }: Sending,
  { fileId, fileHash, contentHash, version }: StoredAs,
) {
  const file = { path, ...(onDisk !== undefined && { onDisk }), revision, contentHash, version };
  return { event: 'stored', ...file, requestId, fileId, fileHash } as const;
}
