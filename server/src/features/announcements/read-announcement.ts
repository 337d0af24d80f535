// Remembers that somebody has read an announcement.
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import type { AnnouncementPorts } from './ports.ts';
import { insertRead } from './queries.ts';
import { getShown } from './visible.ts';

export function readAnnouncement(
  { database, clock }: AnnouncementPorts,
  actor: Actor,
  announcementId: Key,
  origin: Origin,
): Promise<void> {
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const { id } = await getShown(tx, actor.tenantId, announcementId, now);
    if (!(await insertRead(tx, id, actor.userId, now))) return;
    await appendAudit(
      tx,
      {
        tenantId: actor.tenantId,
        who: actor,
        module: 'announcements',
        operation: 'read',
        description: `announcement ${id} read`,
        param: { announcementId: id },
        origin,
      },
      now,
    );
  });
}
