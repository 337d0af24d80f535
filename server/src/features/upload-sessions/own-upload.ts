// The caller's own uploads: by client id, or by a key of the client.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import { type Actor, type Owner, ownerOf } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { findChunk } from './chunk-queries.ts';
import { hasExpired } from './policy.ts';
import {
  bindClientKey,
  findRestartedUpload,
  findUnkeyed,
  findUpload,
  findUploadByClientKey,
  type UploadRow,
} from './queries.ts';

const hourMs = 3600_000;
export const expiryOf = ({ clock, config }: Pick<Server, 'clock' | 'config'>): number =>
  clock.now() + config.uploads.sessionHours * hourMs;

/** Expired at once, not only after the sweep has run. */
export async function getOwnUpload(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  actor: Actor,
  clientId: string,
): Promise<UploadRow> {
  const upload = await findUpload(database.db, ownerOf(actor), clientId);
  if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  return hasExpired(upload, clock.now()) ? { ...upload, status: 'EXPIRED' } : upload;
}

/** The upload under a client's own key: bound on first use to the newest matching upload, and again when the client starts its file again. */
export async function findByClientKey(
  { database: { db }, clock }: Pick<Server, 'database' | 'clock'>,
  owner: Owner,
  key: string,
  { chunkNumber, totalChunks }: { readonly chunkNumber: number; readonly totalChunks: number },
): Promise<UploadRow | null> {
  const now = clock.now();
  for (;;) {
    const upload = await findUploadByClientKey(db, owner, key);
    const fresh = upload
      ? await findRepetition(db, upload, chunkNumber, now)
      : await findUnkeyed(db, owner, totalChunks, now);
    if (!fresh) return upload;
    const bound = await bindClientKey(db, fresh, key);
    if (bound) return bound; // otherwise another chunk was faster; start again
  }
}

/** An interrupted client without a known upload starts from the first chunk, under the same key. */
async function findRepetition(db: Db, upload: UploadRow, chunkNumber: number, now: Time): Promise<UploadRow | null> {
  const repeatsItself = upload.received_chunks === 0 || (await findChunk(db, upload.id, chunkNumber)) !== null;
  return repeatsItself ? findRestartedUpload(db, upload, now) : null;
}
