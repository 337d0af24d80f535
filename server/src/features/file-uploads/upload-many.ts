// Bulk uploads: many files in one call. Each is sealed while the next one arrives, sealed files share commits, and each
// succeeds or fails alone. Repeated under the same requestId, stored files are returned and nothing is stored twice.
import { createHash } from 'node:crypto';
import { ApiError, errorTable } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import {
  type BulkManifest,
  type BulkResult,
  bulkLabel,
  bulkManifest,
  mostBulkFiles,
} from '@recordproof/shared/api/short-uploads.ts';
import { type FilePart, type FormPart, parseBoundary, readMultipart } from '@recordproof/shared/node/multipart.ts';
import { fulfilled } from '../../platform/coalescer.ts';
import { MeasuredStream } from '../../platform/content/measured.ts';
import { Spool } from '../../platform/content/spool.ts';
import { toApiError } from '../../platform/http/answers.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { parseInput, parseJson } from '../../platform/http/parse.ts';
import type { Request } from '../../platform/http/route.ts';
import type { ByteSource } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { listFilesByOrigin, type StoredFile, toStored } from '../files/index.ts';
import { isShort, storeShort } from '../short-uploads/index.ts';
import { checkPlan } from '../upload-sessions/index.ts';
import { findContinued, resolveNameConflict } from '../versions/index.ts';
import { answerRequest, claimRequest, forgetRequests, type RequestRow } from './queries.ts';
import { requestsKeptMs } from './repeatable-upload.ts';
import { type NamedPlan, storeSpooledOnce, toWholePlan } from './store-spooled.ts';

const limits = { maxFieldBytes: 2 * 1024 * 1024, maxParts: mostBulkFiles + 1 };
/** Larger files are sealed while they arrive, smaller ones concurrently. */
const heldFileBytes = 1024 * 1024;
const heldBytes = 4 * heldFileBytes;

type ManifestFile = BulkManifest['files'][number];

export async function uploadMany(server: Server, request: Request): Promise<{ results: BulkResult[] }> {
  const parts = readMultipart(request.stream, parseBoundary(request.headers['content-type']), limits);
  const manifest = await narrowed(request, await readManifest(parts));
  const claimed = await claim(server, request, manifest);
  if (claimed.answer !== null) {
    for await (const _part of parts); // an answered request is not read again
    return JSON.parse(claimed.answer) as { results: BulkResult[] };
  }
  const received = await receiveAll(server, request, { manifest, claimed, parts });
  const ends = await withStored(server, request, claimed, received);
  logFailures(request, manifest, ends);
  const answer = { results: ends.map(end => toResult(end, manifest.requestId)) };
  // Temporary failures can be sent again.
  if (ends.some(isTemporary)) return answer;
  const first = await answerRequest(server.database.db, claimed, JSON.stringify(answer));
  return JSON.parse(first) as { results: BulkResult[] };
}

/** The manifest with the folder of a folder-limited caller if it names none. */
async function narrowed(request: Request, manifest: BulkManifest): Promise<BulkManifest> {
  await request.narrow({ files: manifest.files.flatMap(({ targetFileId }) => targetFileId ?? []) });
  const files: ManifestFile[] = [];
  for (const file of manifest.files) files.push({ ...file, path: await request.narrow({ folder: file.path }) });
  return { ...manifest, files };
}

/** The answer omits internal errors. */
function logFailures(request: Request, { requestId }: BulkManifest, ends: readonly End[]): void {
  const reasons = ends.flatMap(end => (end.status === 'rejected' ? [end.reason as unknown] : []));
  const unknown = reasons.filter(reason => toApiError(reason).isOutcomeUnknown);
  if (unknown.length > 0) {
    const about = { err: unknown[0], requestId, files: unknown.length };
    request.log.error(about, 'the outcome of some files of a bulk upload is unknown');
    return;
  }
  const failed = reasons.map(toApiError).find(({ status }) => status >= 500);
  if (failed) request.noteFailure(failed);
}

async function readManifest(parts: AsyncGenerator<FormPart>): Promise<BulkManifest> {
  const { value: first } = await parts.next();
  if (first?.name !== 'manifest')
    throw new ApiError('PARAM_NOT_COMPLETE', 'the form must begin with the part manifest');
  const json = first.kind === 'field' ? Buffer.from(first.value) : await readWhole(first.body, limits.maxFieldBytes);
  return parseInput(bulkManifest, parseJson(json), 'body');
}

async function readWhole(source: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let size = 0;
  for await (const block of source) {
    size += block.length;
    if (size > maxBytes)
      throw new ApiError('PARAM_IS_INVALID', `this part has at most ${maxBytes} bytes; more arrived`);
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

async function claim({ database: { db }, clock }: Server, { actor }: Request, manifest: BulkManifest) {
  const { tenantId, userId: ownerId } = actor;
  const fingerprint = createHash('sha256').update(JSON.stringify(manifest.files)).digest('hex');
  const now = clock.now();
  await forgetRequests(db, now - requestsKeptMs);
  const claimed = await claimRequest(db, { tenantId, ownerId, requestId: manifest.requestId, fingerprint }, now);
  if (claimed === null) throw new ApiError('SYSTEM_BUSY');
  if (claimed.fingerprint !== fingerprint)
    throw new ApiError('REQUEST_ID_REUSED', 'this requestId was used for other files; choose a new one');
  return claimed;
}

type Bulk = {
  readonly manifest: BulkManifest;
  readonly claimed: RequestRow;
  readonly parts: AsyncGenerator<FormPart>;
};

type End = PromiseSettledResult<StoredFile>;

const originOf = ({ id }: RequestRow, index: number): string => `bulk:${id}:${index}`;

/** By origin. */
async function listStored({ database }: Server, { actor }: Request, origins: readonly string[]) {
  const made = await listFilesByOrigin(database.db, actor.tenantId, origins);
  return new Map(made.filter(row => row.status === fileStatus.SUCCESS).map(row => [row.created_by, toStored(row)]));
}

const isTemporary = (end: End): boolean => end.status === 'rejected' && toApiError(end.reason).status >= 500;

/** What rejected a file may be the same file, stored by a concurrent call with this requestId. */
async function withStored(server: Server, request: Request, claimed: RequestRow, ends: readonly End[]): Promise<End[]> {
  const origins = ends.map((_, index) => originOf(claimed, index));
  const rejected = origins.filter((_, index) => ends[index]?.status === 'rejected');
  if (rejected.length === 0) return [...ends];
  const stored = await listStored(server, request, rejected).catch(error => {
    if (ends.some(isTemporary)) return new Map<string, StoredFile>(); // an outage: this answer is not kept
    throw error;
  });
  return ends.map((end, index) => {
    const file = stored.get(origins[index] as string);
    return file ? fulfilled(file) : end;
  });
}

/** Waits for all of its work before it returns or throws. */
async function receiveAll(server: Server, request: Request, { manifest, claimed, parts }: Bulk): Promise<End[]> {
  const origins = manifest.files.map((_, index) => originOf(claimed, index));
  const stored = await listStored(server, request, origins);
  const running = new Running();
  try {
    for (const [index, file] of manifest.files.entries()) {
      const part = await nextFile(parts, index);
      const createdBy = origins[index] as string;
      const existing = stored.get(createdBy);
      if (existing) running.add(0, Promise.resolve(existing));
      else await receiveOne(server, request, running, { file, part, createdBy });
    }
    const more = await parts.next();
    if (!more.done) throw new ApiError('PARAM_ERROR', 'the form has more parts than the manifest names');
  } catch (error) {
    await running.allEnded();
    throw error;
  }
  return running.allEnded();
}

async function nextFile(parts: AsyncGenerator<FormPart>, index: number): Promise<FilePart> {
  const { value: part } = await parts.next();
  if (part?.kind === 'file') return part;
  throw new ApiError('PARAM_NOT_COMPLETE', `file ${index} of the manifest is missing, or its part has no file name`);
}

/** Concurrent work, with results in starting order. */
class Running {
  readonly #ends: Promise<End>[] = [];
  readonly #held = new Map<Promise<unknown>, number>();

  add(bytes: number, work: Promise<StoredFile>): void {
    const end = Promise.allSettled([work]).then(([settled]) => settled);
    this.#ends.push(end);
    this.#held.set(end, bytes);
    void end.then(() => this.#held.delete(end));
  }

  async untilRoomFor(bytes: number): Promise<void> {
    const sum = () => [...this.#held.values()].reduce((total, held) => total + held, bytes);
    while (this.#held.size > 0 && sum() > heldBytes) await Promise.race(this.#held.keys());
  }

  allEnded(): Promise<End[]> {
    return Promise.all(this.#ends);
  }
}

type One = { readonly file: ManifestFile; readonly part: FilePart; readonly createdBy: string };

async function receiveOne(server: Server, request: Request, running: Running, one: One): Promise<void> {
  const rejection = findBadLabel(one.file);
  if (rejection) return running.add(0, Promise.reject(rejection)); // its bytes are not read
  const { fileSize } = one.file;
  await running.untilRoomFor(fileSize);
  if (fileSize > heldFileBytes) {
    const work = store(server, request, one, one.part.body);
    running.add(0, work);
    await Promise.allSettled([work]);
    return;
  }
  const bytes = await readWhole(one.part.body, fileSize).catch(toRejection);
  running.add(fileSize, bytes instanceof ApiError ? Promise.reject(bytes) : store(server, request, one, [bytes]));
}

function findBadLabel(file: ManifestFile): ApiError | null {
  try {
    parseInput(bulkLabel, file, 'body');
    return null;
  } catch (error) {
    return toApiError(error);
  }
}

/** A part that is too long fails alone; a truncated form fails all. */
function toRejection(error: unknown): ApiError {
  if (error instanceof ApiError && error.kind === 'PARAM_IS_INVALID') return error;
  throw error;
}

async function store(
  server: Server,
  request: Request,
  { file, createdBy }: One,
  source: ByteSource,
): Promise<StoredFile> {
  const { uploads } = server.config;
  const plan = { ...file, ...toWholePlan(file, uploads) };
  checkPlan(plan, uploads);
  if (!isShort(server, file.fileSize))
    return storeLong(server, request, { ...plan, clientId: toClientId(createdBy) }, source);
  const { db } = server.database;
  const owner = ownerOf(request.actor);
  const { targetFileId, onConflict: _, ...described } = await resolveNameConflict(db, owner, file);
  const target = await findContinued(db, owner, targetFileId);
  const { signal } = request;
  return storeShort(server, request, { ...described, target, createdBy, source, ownsBlocks: false, signal });
}

const toClientId = (createdBy: string): string => createdBy.replaceAll(':', '-');

async function storeLong(server: Server, request: Request, plan: NamedPlan, source: ByteSource): Promise<StoredFile> {
  await using spool = Spool.open(server);
  await spool.fill(new MeasuredStream(plan.fileSize, 'this file').pass(source), plan.fileSize);
  const { clientId: _, ...stored } = await storeSpooledOnce(server, request, spool, plan);
  return stored;
}

function toResult(end: End, requestId: string): BulkResult {
  if (end.status === 'fulfilled') return { ...end.value, status: 'STORED' };
  const { code, message, isOutcomeUnknown, retryAfterSeconds } = toApiError(end.reason);
  const pause = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  if (!isOutcomeUnknown) return { status: 'REFUSED', code, message, ...pause };
  return {
    ...pause,
    status: 'UNKNOWN',
    code: errorTable.SERVICE_UNAVAILABLE.code,
    message: `it is not known whether this file was stored; repeat the call with the requestId "${requestId}" to learn it`,
  };
}
