// Answers a download: preconditions and ranges, then the proven bytes at the reader's pace (rulings §3). Damage that shows
// before the first byte is an error answer; after it the transfer breaks off, and either way it is reported.
import type { KeyObject } from 'node:crypto';
import { Readable } from 'node:stream';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RecipientType } from '../../platform/crypto/envelope.ts';
import { KeyProviderError } from '../../platform/crypto/envelope.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import { type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { type AuditEntry, appendAudit, type Origin } from '../audit/index.ts';
import { type FileRow, findFile } from './queries.ts';
import { type ByteRange, selectBytes, toAttachment } from './ranges.ts';
import { type Content, ContentDamaged, isSealed, parseManifestOf, readContent } from './read-content.ts';

/** Who was reading when it showed. */
export type Reader = { readonly who: AuditEntry['who']; readonly origin: Origin };

export type DamagePorts = { readonly db: Db; readonly clock: Clock; readonly log: Log };

/** Whose envelope opens the data key: the owner's account id, a share's code, a friend share's id. */
export type Recipient = { readonly type: Exclude<RecipientType, 'UPLOAD'>; readonly id: string };

/** Given by the features that keep manifests and envelopes, which stand above this one. */
export type ContentPorts = DamagePorts & {
  readonly objects: Pick<ObjectStore, 'get'>;
  /** The canonical JSON of the active manifest; null when the record has none. */
  readonly findManifest: (db: Db, file: FileRow) => Promise<string | null>;
  /** The key of a sealed file, out of the recipient's ACTIVE envelope. Throws ApiError or KeyProviderError. */
  readonly openDataKey: (db: Db, file: FileRow, recipient: Recipient) => Promise<KeyObject>;
};

type DownloadRequest = Pick<Request, 'headers' | 'method'>;

/** Read ahead of the reader, so that the store is at work while the network is. */
const readAheadBytes = 4 * 1024 * 1024;

const toHeaders = (file: FileRow): Record<string, string> => ({
  etag: toEtag(file),
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  'content-type': file.content_type,
  'content-disposition': toAttachment(file.file_name),
  // Whatever a browser makes of it: not a page of ours, with our rights.
  'content-security-policy': "sandbox; default-src 'none'",
});

const toEtag = (file: FileRow): string => `"${file.content_hash}"`;

/** Whether the answer carries bytes of the file; what is unchanged, outside of it, or only asked about, carries none. */
export function deliversBytes({ headers, method }: DownloadRequest, file: FileRow): boolean {
  const { kind } = selectBytes(headers, method, file.file_size, toEtag(file));
  return method === 'GET' && (kind === 'whole' || kind === 'part');
}

/** Whether this reader may have the file is decided before. Not for files that are not live. */
export async function downloadContent(
  ports: ContentPorts,
  request: DownloadRequest,
  file: FileRow,
  recipient: Recipient,
  reader: Reader,
): Promise<PlainAnswer> {
  const size = file.file_size;
  const headers = toHeaders(file);
  const selected = selectBytes(request.headers, request.method, size, toEtag(file));
  switch (selected.kind) {
    case 'unchanged':
      return { status: 304, headers: { etag: toEtag(file), 'cache-control': 'private, no-cache' }, body: null };
    case 'outside':
      return {
        status: 416,
        headers: { 'content-range': `bytes */${size}`, 'content-length': 0, 'cache-control': 'no-store' },
        body: null,
      };
    case 'whole':
      if (request.method === 'HEAD') return { headers: { ...headers, 'content-length': size }, body: null };
      return { headers: { ...headers, 'content-length': size }, body: await start({ start: 0, end: size }) };
    case 'part': {
      const { start: from, end } = selected.range;
      const range = { 'content-range': `bytes ${from}-${end - 1}/${size}`, 'content-length': end - from };
      return { status: 206, headers: { ...headers, ...range }, body: await start(selected.range) };
    }
  }

  async function start(range: ByteRange): Promise<Readable> {
    const abort = new AbortController();
    const blocks = guarded(ports, file, reader, async function* () {
      yield* readContent(ports.objects, await openContent(ports, file, recipient), range, abort.signal);
    });
    const first = await blocks.next();
    const body = Readable.from(resume(first, blocks), { objectMode: false, highWaterMark: readAheadBytes });
    // A reader that goes away ends the stream; what waits for the store is to end too.
    return body.once('close', () => {
      abort.abort();
      blocks.return().catch(() => undefined);
    });
  }
}

async function openContent(ports: ContentPorts, file: FileRow, recipient: Recipient): Promise<Content> {
  const json = await ports.findManifest(ports.db, file);
  if (json === null) {
    throw new ApiError(
      'FILE_RECORD_ERROR',
      'this file has no manifest, so its bytes cannot be proven; ask an administrator',
    );
  }
  const manifest = parseManifestOf(file, json);
  const dataKey = isSealed(file) ? await ports.openDataKey(ports.db, file, recipient) : null;
  return { file, manifest, dataKey };
}

/** What goes wrong becomes an error of the wire; damage is reported first. */
async function* guarded(
  ports: DamagePorts,
  file: FileRow,
  reader: Reader,
  read: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* read();
  } catch (error) {
    if (error instanceof ContentDamaged) await reportDamage(ports, file, error, reader);
    throw toDownloadError(error);
  }
}

function toDownloadError(cause: unknown): unknown {
  if (cause instanceof ContentDamaged) {
    return new ApiError('FILE_DOWNLOAD_ERROR', 'the stored bytes are damaged; the administrators have been told', {
      cause,
    });
  }
  const isPassing =
    (cause instanceof ObjectStoreError && (cause.kind === 'UNAVAILABLE' || cause.kind === 'TIMEOUT')) ||
    (cause instanceof KeyProviderError && cause.isWorthRetrying);
  if (isPassing) {
    return new ApiError('SERVICE_UNAVAILABLE', 'the stored bytes are out of reach right now, try again', {
      cause,
      retryAfterSeconds: 5,
    });
  }
  if (cause instanceof KeyProviderError)
    return new ApiError('ENCRYPTION_ERROR', 'the file cannot be opened', { cause });
  if (cause instanceof ObjectStoreError) return new ApiError('FILE_DOWNLOAD_ERROR', undefined, { cause });
  return cause;
}

async function* resume(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** An error in the log, a row in the audit chain, and an event for whoever watches over integrity. Never throws: the transfer has to break off, whatever becomes of it. */
async function reportDamage(
  { db, clock, log }: DamagePorts,
  file: FileRow,
  damage: ContentDamaged,
  reader: Reader,
): Promise<void> {
  try {
    const now = await findFile(db, file.tenant_id, file.id);
    if (now?.objects_released_at !== null) return; // deleted meanwhile: its bytes may be gone
    const param = { fileId: file.id, fileHash: file.file_hash, chunk: damage.chunk, path: damage.path };
    log.error({ ...param, tenantId: file.tenant_id, err: damage }, 'stored bytes are damaged');
    const entry = {
      tenantId: file.tenant_id,
      who: reader.who,
      module: 'files',
      operation: 'integrity-damaged',
      description: `stored bytes of file ${file.file_hash} are damaged`,
      param,
      errorMessage: damage.message,
      origin: reader.origin,
    };
    await db.transaction().execute(async tx => {
      await appendAudit(tx, entry, clock.now());
      const payload = { fileId: file.id, chunk: damage.chunk };
      await emit(tx, { type: 'integrity.damaged', tenantId: file.tenant_id, payload }, clock.now());
    });
  } catch (error) {
    log.error({ fileId: file.id, err: error }, 'damage of stored bytes could not be reported');
  }
}
