// Pausing, resuming and giving up.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { forgetReading } from './content-check.ts';
import { enqueueCleaning } from './enqueue-cleaning.ts';
import { nextStatus } from './policy.ts';
import type { UploadPorts } from './ports.ts';
import { lockUpload, type UploadRow, updateUpload } from './queries.ts';
import { expiryOf, ownerOf } from './start-upload.ts';

const operations = { PAUSED: 'pause', UPLOADING: 'resume', CANCELLED: 'cancel' } as const;

export type Control = keyof typeof operations;

export async function controlUpload(
  ports: UploadPorts,
  actor: Actor,
  clientId: string,
  wanted: Control,
  origin: Origin,
): Promise<UploadRow> {
  const { db, kind: engine } = ports.database;
  const now = ports.clock.now();
  const changed = await db.transaction().execute(async tx => {
    const upload = await lockUpload(tx, engine, ownerOf(actor), clientId);
    if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
    if (nextStatus(upload, wanted, now) === upload.status) return upload;
    const changed = await updateUpload(tx, upload.id, { status: wanted, expires_at: expiryOf(ports) });
    const entry = {
      tenantId: actor.tenantId,
      who: actor,
      module: 'uploads',
      operation: operations[wanted],
      description: `upload of ${upload.file_name}: ${operations[wanted]}`,
      param: { clientId },
      origin,
    };
    await appendAudit(tx, entry, now);
    if (wanted === 'CANCELLED') await enqueueCleaning(tx, changed, now, ports.limits.urlHours);
    return changed;
  });
  if (wanted === 'CANCELLED') forgetReading(changed);
  return changed;
}
