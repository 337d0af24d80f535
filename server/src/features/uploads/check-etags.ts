// What the store answered to the client, held against what it says now: another ETag means that other bytes were put there
// since. The proof of the bytes is their digest; this only tells earlier, and which part.

import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { completeDirectUpload as contract } from '@recordproof/shared/api/uploads.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { type ChunkRow, listChunks } from './chunk-queries.ts';
import type { UploadRow } from './queries.ts';

type Told = BodyOf<typeof contract>['parts'];

const toBare = (eTag: string): string => eTag.replace(/^W\//, '').replaceAll('"', '');

/** Parts that are not named, or named without an ETag, are believed to be as they were sent. */
export async function checkETags(
  { objects, database }: Pick<Server, 'objects' | 'database'>,
  upload: UploadRow,
  told: Told,
): Promise<void> {
  refuseMisnamed(upload, told);
  const isOpen = upload.status === 'UPLOADING' || upload.status === 'PAUSED';
  const named = new Map(told.map(({ index, eTag }) => [index, toBare(eTag)]));
  const chunks = isOpen && told.length > 0 ? await listChunks(database.db, upload.id) : [];
  await inParallel(chunks, async chunk => {
    const eTag = named.get(chunk.chunk_index) ?? '';
    if (eTag === '' || isDigestOf(chunk, eTag)) return;
    const head = await objects.findHead(chunk.storage_key);
    if (head === null || head.etag === eTag) return; // what is missing is told by those who count
    const why = `part ${chunk.chunk_index} has another ETag than you were given; send it again and complete`;
    throw new ApiError('CONFLICT', why);
  });
}

/** The embedded store gives the digest as ETag, so that nothing has to be asked. */
const isDigestOf = (chunk: ChunkRow, eTag: string): boolean => chunk.stored_hash === `sha256:${eTag}`;

function refuseMisnamed({ total_chunks }: UploadRow, told: Told): void {
  const seen = new Set<number>();
  for (const { index } of told) {
    if (index >= total_chunks)
      throw new ApiError('PARAM_IS_INVALID', `parts: part ${index} is past the end of the plan`);
    if (seen.has(index)) throw new ApiError('PARAM_IS_INVALID', `parts: part ${index} is named twice`);
    seen.add(index);
  }
}
