// Acknowledges a chunk: counts it, renews the upload's expiry, and locks the upload until the transaction ends. Once
// per chunk, so in as few statements as possible. An upload that no longer accepts chunks throws, which also rolls back
// the chunk.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { assertReceiving } from './policy.ts';
import { countAndTouch, findUploadById, type UploadRow } from './queries.ts';
import { expiryOf } from './start-upload.ts';

export async function acknowledgeChunk(
  server: Pick<Server, 'clock' | 'config'>,
  tx: Tx,
  uploadId: Key,
  change: { readonly kind: 'proxied' | 'direct'; readonly by: number },
): Promise<UploadRow> {
  const now = server.clock.now();
  const upload = await countAndTouch(tx, uploadId, { by: change.by, now, expiresAt: expiryOf(server) });
  if (upload) return upload;
  const ended = await findUploadById(tx, uploadId);
  if (!ended) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  assertReceiving(ended, change.kind, now);
  throw new ApiError('CONFLICT', 'this upload has just been resumed; send the chunk again');
}
