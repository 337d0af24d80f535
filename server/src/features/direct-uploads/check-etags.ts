// Comparing the ETags that the store gave the client with its current ones: a different ETag means that other bytes
// were stored since. The digest proves the bytes; this only finds the faulty part earlier.

import type { completeDirectUpload as contract } from '@recordproof/shared/api/direct-uploads.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { type ChunkRow, listChunks, type UploadRow } from '../upload-sessions/index.ts';

type NamedParts = BodyOf<typeof contract>['parts'];

const toBare = (eTag: string): string => eTag.replace(/^W\//, '').replaceAll('"', '');

/** Parts that are not named, or have no ETag, are assumed to be unchanged. */
export async function checkETags(
  { objects, database }: Pick<Server, 'objects' | 'database'>,
  upload: UploadRow,
  parts: NamedParts,
): Promise<void> {
  rejectMisnamed(upload, parts);
  const isOpen = upload.status === 'UPLOADING' || upload.status === 'PAUSED';
  const named = new Map(parts.map(({ index, eTag }) => [index, toBare(eTag)]));
  const chunks = isOpen && parts.length > 0 ? await listChunks(database.db, upload.id) : [];
  await inParallel(chunks, async chunk => {
    const eTag = named.get(chunk.chunk_index) ?? '';
    if (eTag === '' || isDigestOf(chunk, eTag)) return;
    const head = await objects.findHead(chunk.storage_key);
    if (head === null || head.etag === eTag) return; // missing parts are reported by the count
    const why = `part ${chunk.chunk_index} has another ETag than you were given; send it again and complete`;
    throw new ApiError('CONFLICT', why);
  });
}

/** The embedded store uses the digest as ETag, so no query is needed. */
const isDigestOf = (chunk: ChunkRow, eTag: string): boolean => chunk.stored_hash === `sha256:${eTag}`;

function rejectMisnamed({ total_chunks }: UploadRow, parts: NamedParts): void {
  const seen = new Set<number>();
  for (const { index } of parts) {
    if (index >= total_chunks)
      throw new ApiError('PARAM_IS_INVALID', `parts: part ${index} does not exist: the last is ${total_chunks - 1}`);
    if (seen.has(index)) throw new ApiError('PARAM_IS_INVALID', `parts: part ${index} is listed twice`);
    seen.add(index);
  }
}
