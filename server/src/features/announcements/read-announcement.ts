// Look-up of announcements, and marking one as read. Drafts and expired ones do not exist for readers.
import { announcementStatus } from '@recordproof/shared/api/announcements.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { toStatus } from './policy.ts';
import { type AnnouncementRow, findAnnouncement, insertRead } from './queries.ts';

export async function getShown(db: Db, tenantId: Key, id: Key, now: Time): Promise<AnnouncementRow> {
  const row = await findAnnouncement(db, tenantId, id);
  if (row === null || toStatus(row, now) !== announcementStatus.PUBLISHED) throw new ApiError('ANNOUNCEMENT_NOT_FOUND');
  return row;
}

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
