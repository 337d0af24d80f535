// Takes an announcement away, in whatever state it is. The row stays, because the audit log speaks of it.
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import type { AnnouncementPorts } from './ports.ts';
import { updateAnnouncement } from './queries.ts';
import { holdAny } from './visible.ts';

export function deleteAnnouncement(
  { database, clock }: AnnouncementPorts,
  actor: Actor,
  announcementId: Key,
  origin: Origin,
): Promise<void> {
  return database.db.transaction().execute(async tx => {
    const held = await holdAny(tx, database.kind, actor.tenantId, announcementId);
    const now = clock.now();
    await updateAnnouncement(tx, held, { deleted_at: now }, now);
    await appendAudit(
      tx,
      {
        tenantId: held.tenant_id,
        who: actor,
        module: 'announcements',
        operation: 'delete',
        description: `announcement ${held.id} deleted`,
        param: { announcementId: held.id },
        origin,
      },
      now,
    );
  });
}
