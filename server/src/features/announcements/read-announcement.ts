// Marking an announcement as read.
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { insertRead } from './queries.ts';
import { getShown } from './visible.ts';

export function readAnnouncement(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  announcementId: Key,
): Promise<void> {
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const { tenantId, userId } = call.actor;
    const { id } = await getShown(tx, tenantId, announcementId, now);
    if (!(await insertRead(tx, id, userId, now))) return;
    const param = { announcementId: id };
    await recordAudit(tx, call, now, 'announcements.read', `announcement ${id} read`, param);
  });
}
