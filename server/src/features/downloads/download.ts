// File downloads: preconditions and ranges, then verified bytes at the reader's pace. Damage found before the first
// byte is an error response; later it aborts the transfer; both are reported.
import type { Readable } from 'node:stream';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type ContentSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import { openPrefetched } from '../../platform/prefetched-stream.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { contentSuiteForReading } from '../crypto-policy/index.ts';
import { openFileKey, type Recipient, toSubject } from '../envelopes/index.ts';
import { type FileRow, findFile } from '../files/index.ts';
import { toInertType } from './inert-type.ts';
import { findContent } from './queries.ts';
import { type ByteRange, selectBytes, toAttachment } from './ranges.ts';
import { type Content, ContentDamaged, parseManifestOf, readContent } from './read-content.ts';

export type Delivering = Pick<
  Server,
  'database' | 'clock' | 'log' | 'objects' | 'keyProviders' | 'suites' | 'downloads'
>;

type DownloadRequest = Pick<Request, 'headers' | 'method'>;

type Download = {
  /** The HTTP request for the file. */
  readonly http: DownloadRequest;
  readonly file: FileRow;
  readonly recipient: Recipient;
  /** If already checked. */
  readonly suite?: ContentSuite;
  /** Whether a response with bytes counts as a download, if the caller counts; decided here by default. */
  readonly isCounted?: boolean | undefined;
};

/** The event for damage found by a download. */
export const damageFound = 'integrity.damaged';

export type FoundDamage = {
  readonly fileId: Key;
  readonly alertType: ContentDamaged['kind'];
  /** Null: the record itself. */
  readonly chunk: number | null;
  readonly path: string | null;
  readonly reason: string;
};

/** Limits read-ahead to one block, so that a stalled reader holds no more memory. */
const readAheadBytes = 1;

const toHeaders = (file: FileRow, { type }: Recipient): Record<string, string> => ({
  etag: toEtag(file),
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  // Shares need no account: a page could use them as its script or style sheet.
  'content-type': type === 'SHARE' ? toInertType(file.content_type) : file.content_type,
  'content-disposition': toAttachment(file.file_name),
  // Prevents the content from running as a page of this origin.
  'content-security-policy': "sandbox; default-src 'none'",
  ...isolationHeaders,
});

const toEtag = (file: FileRow): string => `"${file.content_hash}"`;

/** How much of the file the response carries: NONE if a precondition fails, the range is outside of it, or for HEAD. */
export function deliveredBytes({ headers, method }: DownloadRequest, file: FileRow): 'ALL' | 'PART' | 'NONE' {
  const selected = selectBytes(headers, method, file.file_size, toEtag(file));
  if (method === 'GET' && selected.kind === 'whole') return 'ALL';
  if (method !== 'GET' || selected.kind !== 'part') return 'NONE';
  const { start, end } = selected.range;
  return start === 0 && end === file.file_size ? 'ALL' : 'PART';
}

type Reading = Pick<Download, 'file' | 'recipient' | 'isCounted'> & {
  readonly suite: ContentSuite;
  readonly range: ByteRange;
};

/** All bytes of a file, verified as in a download; the caller has checked access. */
export const openWhole = async (
  server: Delivering,
  call: Call<Party>,
  { file, recipient }: Pick<Download, 'file' | 'recipient'>,
): Promise<Readable> => {
  const suite = contentSuiteForReading(server, file.encryption);
  return openRange(server, call, { file, recipient, suite, range: { start: 0, end: file.file_size } });
};

async function openRange(
  server: Delivering,
  call: Call<Party>,
  { file, recipient, suite, range, isCounted }: Reading,
): Promise<Readable> {
  const abort = new AbortController();
  const blocks = guarded(server, call, file, async function* () {
    yield* readContent(server.objects, await openContent(server, { file, recipient, suite }), range, abort.signal);
  });
  const body = await openPrefetched(blocks, { count: 1, highWaterMark: readAheadBytes });
  if (isCounted ?? isDownload(server, { file, recipient, range })) server.downloads.count(file.tenant_id);
  // A closed connection ends the stream, and aborts pending reads from the store.
  return body.once('close', () => abort.abort());
}

/** A response with all bytes; of partial responses, the first per recipient, file and day. */
function isDownload(
  { downloads }: Delivering,
  { file, recipient: { type, id }, range: { start, end } }: Pick<Reading, 'file' | 'recipient' | 'range'>,
): boolean {
  return (start === 0 && end === file.file_size) || downloads.isFirstPart(`${type}:${id}:${file.id}`);
}

/** The caller has checked access. Live files only. */
export async function downloadContent(
  server: Delivering,
  call: Call<Party>,
  // Checked even if no byte is sent: a file with a disabled suite reveals nothing.
  { http, file, recipient, suite = contentSuiteForReading(server, file.encryption), isCounted }: Download,
): Promise<PlainAnswer> {
  const size = file.file_size;
  const headers = toHeaders(file, recipient);
  const selected = selectBytes(http.headers, http.method, size, toEtag(file));
  const start = async (range: ByteRange) => ({
    body: await openRange(server, call, { file, recipient, suite, range, isCounted }),
    ownsBlocks: true,
  });
  switch (selected.kind) {
    case 'other':
      return { status: 412, headers: { 'content-length': 0, 'cache-control': 'no-store' }, body: null };
    case 'unchanged':
      return { status: 304, headers: { etag: toEtag(file), 'cache-control': 'private, no-cache' }, body: null };
    case 'outside':
      return {
        status: 416,
        headers: { 'content-range': `bytes */${size}`, 'content-length': 0, 'cache-control': 'no-store' },
        body: null,
      };
    case 'whole':
      if (http.method === 'HEAD') return { headers: { ...headers, 'content-length': size }, body: null };
      return { headers: { ...headers, 'content-length': size }, ...(await start({ start: 0, end: size })) };
    case 'part': {
      const { start: from, end } = selected.range;
      const range = { 'content-range': `bytes ${from}-${end - 1}/${size}`, 'content-length': end - from };
      return { status: 206, headers: { ...headers, ...range }, ...(await start(selected.range)) };
    }
  }
}

async function openContent(server: Delivering, { file, recipient, suite }: Omit<Reading, 'range'>): Promise<Content> {
  const found = await findContent(server.database.db, toSubject(file, recipient));
  if (found === null) {
    throw new ApiError(
      'FILE_RECORD_ERROR',
      'this file has no manifest, so its bytes cannot be proven; ask an administrator',
    );
  }
  const manifest = parseManifestOf(file, found.manifestJson);
  if (suite === plainSuite) return { file, manifest, dataKey: null };
  const { dataKey } = await openFileKey(server, file, recipient, found.envelope);
  return { file, manifest, dataKey };
}

/** Maps errors to API errors; damage is reported first. */
async function* guarded(
  server: Delivering,
  call: Call<Party>,
  file: FileRow,
  read: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* read();
  } catch (error) {
    if (error instanceof ContentDamaged) await reportDamage(server, call, file, error);
    throw toDownloadError(error);
  }
}

const outages: readonly string[] = ['UNAVAILABLE', 'TIMEOUT', 'REPLACED', 'DISK_FAILED', 'DENIED'];

function toDownloadError(cause: unknown): unknown {
  if (cause instanceof ContentDamaged) {
    return new ApiError('FILE_DOWNLOAD_ERROR', 'the stored bytes are damaged; the administrators are notified', {
      cause,
    });
  }
  if (cause instanceof ObjectStoreError && outages.includes(cause.kind)) {
    return new ApiError('SERVICE_UNAVAILABLE', 'the object store is unavailable; try again later', {
      cause,
      retryAfterSeconds: 5,
    });
  }
  if (cause instanceof ObjectStoreError) return new ApiError('FILE_DOWNLOAD_ERROR', undefined, { cause });
  return cause;
}

/**
 * Reports damage: an error in the log, an audit row, and an event for integrity monitoring. Never throws, because the
 * transfer must be aborted in any case.
 */
async function reportDamage(
  { database: { db }, clock, log }: Delivering,
  call: Call<Party>,
  file: FileRow,
  damage: ContentDamaged,
): Promise<void> {
  try {
    const now = await findFile(db, file.tenant_id, file.id);
    if (now?.objects_released_at !== null) return; // deleted meanwhile: its bytes may be gone
    const param = { fileId: file.id, fileHash: file.file_hash, chunk: damage.chunk, path: damage.path };
    log.error({ ...param, tenantId: file.tenant_id, err: damage }, 'stored bytes are damaged');
    const entry = {
      module: 'files',
      operation: 'integrity-damaged',
      description: `stored bytes of file ${file.file_hash} are damaged`,
      param,
      errorMessage: damage.message,
    };
    await db.transaction().execute(async tx => {
      await appendAudit(tx, call, entry, clock.now());
      const { kind: alertType, chunk, path, message: reason } = damage;
      const payload: FoundDamage = { fileId: file.id, alertType, chunk, path, reason };
      await emit(tx, { type: damageFound, tenantId: file.tenant_id, payload }, clock.now());
    });
  } catch (error) {
    log.error({ fileId: file.id, err: error }, 'failed to report damage of stored bytes');
  }
}
