// The embedded store's handlers of presigned reads and writes. The signature of a URL is checked before anything in the
// request is trusted.
import { Readable } from 'node:stream';
import type * as api from '@recordproof/shared/api/direct-uploads.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { toDigest } from '../../platform/content/digests.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import { applyHit, toAddressKey } from '../../platform/http/rate-limit.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import { type SignedObjectGrant, verifySignedRequest } from '../../platform/objects/disk-presign.ts';
import { ObjectStoreError, type StoredObject } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { acknowledgeChunk, isReadByThread, readOn } from '../chunked-uploads/index.ts';
import { assertReceiving, type ChunkRow, type UploadRow } from '../upload-sessions/index.ts';
import { findStagedPart, markPart, type StagedPart } from './queries.ts';

type Signed = Pick<Request, 'method' | 'headers'> & { readonly query: Readonly<Record<string, string>> };

function readLength(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

/** Throws NOT_FOUND if the object store serves its own presigned URLs. */
function verifyGrant(
  { objects, keys, clock }: Pick<Server, 'objects' | 'keys' | 'clock'>,
  request: Signed,
): SignedObjectGrant {
  if (objects.backend !== 'DISK') throw new ApiError('NOT_FOUND');
  const verdict = verifySignedRequest(keys.transfer, {
    method: request.method,
    query: new URLSearchParams(request.query),
    contentLength: readLength(request.headers['content-length']),
    nowEpochSeconds: Math.floor(clock.now() / 1000),
  });
  if (verdict.kind === 'GRANTED') return verdict.grant;
  switch (verdict.reason) {
    case 'EXPIRED':
      throw new ApiError('FORBIDDEN', 'this URL has expired; request a new one');
    case 'LENGTH':
      throw new ApiError('FORBIDDEN', 'the body does not have the announced length');
    default:
      throw new ApiError('FORBIDDEN', 'this address is not valid');
  }
}

/** The bytes are sent as stored. */
export async function getSignedObject(
  server: Pick<Server, 'objects' | 'keys' | 'clock'>,
  request: Request<typeof api.getSignedObject>,
): Promise<PlainAnswer> {
  const { key } = verifyGrant(server, request);
  const { size, etag, body } = await server.objects.get(key, { signal: request.signal }).catch(error => {
    const isGone = error instanceof ObjectStoreError && error.kind === 'NOT_FOUND';
    throw isGone ? new ApiError('NOT_FOUND', 'this object no longer exists', { cause: error }) : error;
  });
  const headers = {
    etag: `"${etag}"`,
    'content-length': size,
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'no-store',
    ...isolationHeaders,
  };
  return { headers, body: Readable.from(body, { objectMode: false }), ownsBlocks: true };
}

const hourMs = 3600_000;
const putsPerPart = 10;
/** A client with a broken connection retries before the server has noticed. */
const mostBodiesPerPart = 4;

/** An upload that has ended rejects them, even if the URL is still valid. */
export async function putSignedObject(
  server: Server,
  request: Request<typeof api.putSignedObject>,
): Promise<PlainAnswer> {
  const staged = await findSigned(server, request).catch(async error => {
    applyHit(request, await server.limiter.count('chunk', toAddressKey(request.ip)));
    throw error;
  });
  await countPut(server, request, staged.upload);
  assertReceiving(staged.upload, 'direct', server.clock.now());
  using _held = server.concurrentUploads.count([{ key: `object:${staged.part.storage_key}`, most: mostBodiesPerPart }]);
  const stored = await receive(server, staged, request);
  readOn(server, await adopt(server, staged.part, stored));
  return { status: 200, headers: { etag: `"${stored.etag}"`, 'cache-control': 'no-store' }, body: null };
}

async function findSigned(server: Server, request: Request<typeof api.putSignedObject>): Promise<StagedPart> {
  const { key } = verifyGrant(server, request);
  const staged = await findStagedPart(server.database.db, key);
  if (!staged) throw new ApiError('FORBIDDEN', 'this URL is no longer valid');
  return staged;
}

/** The signature authenticates the sender: the limit applies per upload, from any address. */
async function countPut({ counters, clock, config }: Server, request: Request, upload: UploadRow): Promise<void> {
  const windowMs = config.uploads.urlHours * hourMs;
  const limit = upload.total_chunks * putsPerPart;
  applyHit(request, await counters.shared.hit(`upload-puts:${upload.id}`, limit, windowMs, clock.now()));
}

/** Bytes with the announced digest get an imprint, by which they are recognised when read back. */
async function receive(
  server: Server,
  { part, upload }: StagedPart,
  { stream, signal }: Pick<Request, 'stream' | 'signal'>,
): Promise<StoredObject> {
  const key = part.storage_key;
  const withImprint = isReadByThread(server, upload);
  const { stored, imprint } = await server.intake.store({
    key,
    size: part.stored_size,
    form: { kind: 'plain', withImprint },
    source: stream,
    signal,
    ownsBlocks: true,
  });
  if (imprint && isAsAnnounced(part, stored)) server.underWay.imprints.set(key, imprint);
  return stored;
}

const isAsAnnounced = (part: ChunkRow, { sha256 }: StoredObject): boolean => toDigest(sha256) === part.stored_hash;

/** Records what arrived, for progress only; completion reads everything back regardless. */
async function adopt(server: Server, part: ChunkRow, stored: StoredObject): Promise<UploadRow> {
  const note = server.database.unsynced.transaction().execute(async tx => {
    const by = await markPart(tx, part, isAsAnnounced(part, stored) ? 1 : 0);
    return acknowledgeChunk(server, tx, part.upload_id, { kind: 'direct', by });
  });
  return note.catch(async error => {
    // The upload ended while the bytes arrived. During completion they are being read, so they stay.
    if (error instanceof ApiError) await takeAway(server, part);
    throw error;
  });
}

async function takeAway({ database, objects }: Pick<Server, 'database' | 'objects'>, part: ChunkRow): Promise<void> {
  const staged = await findStagedPart(database.db, part.storage_key);
  const isInUse = staged !== null && ['UPLOADING', 'PAUSED', 'FINALIZING'].includes(staged.upload.status);
  if (!isInUse) await objects.delete(part.storage_key);
}
