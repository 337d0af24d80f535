// Pausing, resuming and cancelling of uploads.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { enqueueCleaning } from './clean-uploads.ts';
import { expiryOf } from './own-upload.ts';
import { nextStatus } from './policy.ts';
import { lockUpload, type UploadRow, updateUpload } from './queries.ts';

const operations = { PAUSED: 'pause', UPLOADING: 'resume', CANCELLED: 'cancel' } as const;

export type Control = keyof typeof operations;

export async function controlUpload(
  server: Pick<Server, 'database' | 'clock' | 'config' | 'underWay'>,
  call: Call,
  { clientId, target }: { readonly clientId: string; readonly target: Control },
): Promise<UploadRow> {
  const { db, kind: engine } = server.database;
  const now = server.clock.now();
  const changed = await db.transaction().execute(async tx => {
    const upload = await lockUpload(tx, engine, ownerOf(call.actor), clientId);
    if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
    if (nextStatus(upload, target, now) === upload.status) return upload;
    const changed = await updateUpload(tx, upload.id, { status: target, expires_at: expiryOf(server) });
    const entry = {
      module: 'uploads',
      operation: operations[target],
      description: `upload of ${upload.file_name}: ${operations[target]}`,
      param: { clientId },
    };
    await appendAudit(tx, call, entry, now);
    if (target === 'CANCELLED') await enqueueCleaning(tx, changed, now, server.config.uploads.urlHours);
    return changed;
  });
  if (target === 'CANCELLED') server.underWay.forget(changed);
  return changed;
}
