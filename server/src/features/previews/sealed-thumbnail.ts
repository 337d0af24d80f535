// Sealed form of a thumbnail: the content suite, under a key of its own that is derived from the key of the file. A
// recipient of the file can open its thumbnail, and a rotation of wrapping keys does not touch it.
import { createSecretKey, hkdfSync } from 'node:crypto';
import { type ChunkContext, type FileKey, openChunk, sealChunk } from '../../platform/crypto/content-suite.ts';
import type { FileRow } from '../files/index.ts';

const label = 'recordproof-thumbnail-v1';

/** Not the key of the chunks, so that neither can replace the other. */
function toContext({ dataKey, fileNonce }: FileKey, file: FileRow): ChunkContext {
  const bytes = Buffer.from(hkdfSync('sha256', dataKey, fileNonce, `${label}\n${file.file_hash}`, 32));
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return { dataKey: key, fileNonce, tenantId: String(file.tenant_id), index: 0, count: 1 };
}

/** `key` is null for files that are stored as they are. */
export const sealThumbnail = async (key: FileKey | null, file: FileRow, image: Uint8Array): Promise<Uint8Array> =>
  key === null ? image : Buffer.concat(await Array.fromAsync(sealChunk(toContext(key, file), [image])));

/** Throws ContentError for what was not sealed for this file. */
export const openThumbnail = async (key: FileKey | null, file: FileRow, content: Uint8Array): Promise<Uint8Array> =>
  key === null ? content : Buffer.concat(await Array.fromAsync(openChunk(toContext(key, file), [content])));
