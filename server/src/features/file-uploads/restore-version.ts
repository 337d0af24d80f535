// Restoring an older version: its bytes become the next version, with the file's current name and folder.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { UploadResult } from '@recordproof/shared/api/uploads.ts';
import type { Request } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { openWhole } from '../downloads/index.ts';
import { toOwner } from '../envelopes/index.ts';
import { findFile, isLive } from '../files/index.ts';
import { findNewest } from '../versions/index.ts';
import { storeWritten } from './upload-file.ts';

export async function restoreVersion(server: Server, request: Request, wireId: string): Promise<UploadResult> {
  const { db } = server.database;
  const { actor } = request;
  const older = await findFile(db, actor.tenantId, toKey(wireId));
  if (older === null || older.owner_id !== actor.userId || !isLive(older)) throw new ApiError('FILE_NOT_EXIST');
  const newest = await findNewest(db, older);
  if (newest === null) throw new ApiError('VERSION_CHAIN_NOT_FOUND');
  if (newest.id === older.id) throw new ApiError('VERSION_CONFLICT', `version ${older.version} is already the newest`);
  return storeWritten(server, request, {
    fileName: newest.file_name,
    path: newest.path ?? undefined,
    contentType: older.content_type,
    contentHash: older.content_hash,
    targetFileId: toWireId(newest.id),
    bytes: readLate(server, request, { file: older, recipient: toOwner(older) }),
  });
}

/** Opened when it is read: a stream that is opened and never read leaves its file open. */
async function* readLate(...input: Parameters<typeof openWhole>) {
  yield* await openWhole(...input);
}
