// Deletion of an announcement in any status. The row stays, because the audit log refers to it.
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { updateAnnouncement } from './queries.ts';
import { lockExistingAnnouncement } from './visible.ts';

export function deleteAnnouncement(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  announcementId: Key,
): Promise<void> {
  return database.db.transaction().execute(async tx => {
    const announcement = await lockExistingAnnouncement(tx, database.kind, call.actor.tenantId, announcementId);
    const now = clock.now();
    await updateAnnouncement(tx, announcement, { deleted_at: now }, now);
    await recordAudit(tx, call, now, 'announcements.delete', `announcement ${announcement.id} deleted`, {
      announcementId: announcement.id,
    });
  });
}
