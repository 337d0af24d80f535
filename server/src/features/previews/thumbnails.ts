// Storing and reading of thumbnails. They come from clients: each is measured, recognized by its bytes and cleaned
// before it is sealed. Nothing proves them; what cannot be opened counts as missing, and the next client that shows the
// file makes it anew. Sealed in the content suite, under a key of their own that is derived from the key of the file: a
// recipient of the file can open its thumbnail, and a rotation of wrapping keys does not touch it.
import { createSecretKey, hkdfSync } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  maxThumbnailBytes,
  maxThumbnailPixels,
  type Thumbnail,
  type ThumbnailType,
  thumbnailTypes,
} from '@recordproof/shared/api/previews.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { readImageSize } from '@recordproof/shared/image-size.ts';
import type { Call } from '../../platform/call.ts';
import {
  type ChunkContext,
  ContentError,
  type FileKey,
  openChunk,
  sealChunk,
} from '../../platform/crypto/content-suite.ts';
import type { Key } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { contentSuiteForReading } from '../crypto-policy/index.ts';
import { listActiveEnvelopes, openFileKey, type Recipient, toOwner } from '../envelopes/index.ts';
import { type FileRow, listOwnFiles, lockLiveFiles } from '../files/index.ts';
import { InvalidImage, toPicture } from '../images/index.ts';
import { findThumbnails, putThumbnailRows } from './queries.ts';

type Opening = Pick<Server, 'database' | 'suites' | 'keyProviders' | 'log'>;
type Image = { readonly type: ThumbnailType; readonly bytes: Uint8Array };

const label = 'recordproof-thumbnail-v1';

/** Not the key of the chunks, so that neither can replace the other. */
function toContext({ dataKey, fileNonce }: FileKey, file: FileRow): ChunkContext {
  const bytes = Buffer.from(hkdfSync('sha256', dataKey, fileNonce, `${label}\n${file.file_hash}`, 32));
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return { dataKey: key, fileNonce, tenantId: String(file.tenant_id), index: 0, count: 1 };
}

/** `key` is null for files that are stored as they are. */
const sealThumbnail = async (key: FileKey | null, file: FileRow, image: Uint8Array): Promise<Uint8Array> =>
  key === null ? image : Buffer.concat(await Array.fromAsync(sealChunk(toContext(key, file), [image])));

/** Throws ContentError for what was not sealed for this file. */
const openThumbnail = async (key: FileKey | null, file: FileRow, content: Uint8Array): Promise<Uint8Array> =>
  key === null ? content : Buffer.concat(await Array.fromAsync(openChunk(toContext(key, file), [content])));

const isThumbnailType = (type: string): type is ThumbnailType => thumbnailTypes.some(one => one === type);

function toImage(bytes: Buffer): Image {
  const size = readImageSize(bytes);
  if (size === null || Math.max(size.width, size.height) > maxThumbnailPixels)
    throw new InvalidImage(`it is no image of at most ${maxThumbnailPixels} pixels on each side`);
  const { type, bytes: clean } = toPicture(bytes);
  if (isThumbnailType(type) && clean.length <= maxThumbnailBytes) return { type, bytes: clean };
  throw new InvalidImage('it is neither PNG nor JPEG nor WebP of at most 32 KiB');
}

function parseThumbnail(image: string): Image {
  try {
    return toImage(Buffer.from(image, 'base64'));
  } catch (error) {
    if (!(error instanceof InvalidImage || error instanceof RangeError)) throw error;
    throw new ApiError('FILE_ACCEPT_NOT_SUPPORT', `this thumbnail cannot be stored: ${error.message}`);
  }
}

/** For files of one tenant: by file, how the recipient opens it; null for files that are stored as they are. */
async function findKeys(server: Opening, files: readonly FileRow[], recipient: Recipient) {
  const isSealed = (file: FileRow) => contentSuiteForReading(server, file.encryption) !== plainSuite;
  const [first] = files;
  const to = { tenantId: first?.tenant_id ?? 0, recipientType: recipient.type, recipientId: recipient.id };
  const envelopes = await listActiveEnvelopes(server.database.db, to, files.filter(isSealed));
  return (file: FileRow) => (isSealed(file) ? openFileKey(server, file, recipient, envelopes.get(file.id)) : null);
}

type Input = { readonly fileHash: string; readonly image: string };

export async function putThumbnails(
  server: Opening & Pick<Server, 'clock'>,
  call: Call,
  inputs: readonly Input[],
): Promise<null> {
  const { database, clock } = server;
  const images = new Map(inputs.map(({ fileHash, image }) => [fileHash, parseThumbnail(image)]));
  const files = await listOwnFiles(server.database.db, call.actor, [...images.keys()]);
  if (files.length < images.size) throw new ApiError('FILE_NOT_EXIST');
  const { tenantId, userId } = call.actor;
  const owner = toOwner({ owner_id: userId });
  const keyOf = await findKeys(server, files, owner);
  const sealed = await inParallel(files, async file => {
    const { bytes = new Uint8Array() } = images.get(file.file_hash) ?? {};
    return { fileId: file.id, tenantId, content: await sealThumbnail(await keyOf(file), file, bytes) };
  });
  await database.db.transaction().execute(async tx => {
    const ids = files.map(({ id }) => id);
    const locked = await lockLiveFiles(tx, database.kind, tenantId, ids);
    if (locked.length < ids.length) throw new ApiError('FILE_NOT_EXIST'); // deleted meanwhile: nothing would delete its thumbnail
    await putThumbnailRows(tx, sealed, clock.now());
  });
  return null;
}

export async function readOwnThumbnails(server: Opening, call: Call, hashes: readonly string[]): Promise<Thumbnail[]> {
  const files = await listOwnFiles(server.database.db, call.actor, [...new Set(hashes)]);
  const images = await openImages(server, files, toOwner({ owner_id: call.actor.userId }));
  return files.flatMap(file => {
    const image = images.get(file.id);
    if (image === undefined) return [];
    const { type: contentType, bytes } = image;
    return [{ fileHash: file.file_hash, contentType, image: Buffer.from(bytes).toString('base64') }];
  });
}

/** For files of one tenant, by file; those without a thumbnail, or with a damaged one, are left out. */
async function openImages(
  server: Opening,
  files: readonly FileRow[],
  recipient: Recipient,
): Promise<ReadonlyMap<Key, Image>> {
  const tenantId = files[0]?.tenant_id ?? 0;
  const found = await findThumbnails(server.database.db, { tenantId, fileIds: files.map(({ id }) => id) });
  const some = files.filter(({ id }) => found.has(id));
  const keyOf = await findKeys(server, some, recipient);
  const opened = await inParallel(some, async (file): Promise<[Key, Image][]> => {
    const image = await openImage(server, file, keyOf, found.get(file.id) ?? new Uint8Array());
    return image === null ? [] : [[file.id, image]];
  });
  return new Map(opened.flat());
}

async function openImage(
  server: Opening,
  file: FileRow,
  keyOf: Awaited<ReturnType<typeof findKeys>>,
  content: Uint8Array,
): Promise<Image | null> {
  try {
    return toImage(Buffer.from(await openThumbnail(await keyOf(file), file, content)));
  } catch (error) {
    if (!(error instanceof ContentError || error instanceof InvalidImage || error instanceof RangeError)) throw error;
    server.log.warn({ fileId: file.id, err: error }, 'a stored thumbnail is damaged and is not served');
    return null;
  }
}

/** For a recipient of the file; whether they may open it is decided before. */
export const readThumbnail = async (server: Opening, file: FileRow, recipient: Recipient): Promise<Image | null> =>
  (await openImages(server, [file], recipient)).get(file.id) ?? null;
