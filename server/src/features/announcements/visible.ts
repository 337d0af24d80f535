// Announcement look-up for readers; drafts and expired announcements throw ANNOUNCEMENT_NOT_FOUND.
import { announcementStatus } from '@recordproof/shared/api/announcements.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { toStatus } from './policy.ts';
import { type AnnouncementRow, findAnnouncement, lockAnnouncement } from './queries.ts';

export async function getShown(db: Db, tenantId: Key, id: Key, now: Time): Promise<AnnouncementRow> {
  const row = await findAnnouncement(db, tenantId, id);
  if (row === null || toStatus(row, now) !== announcementStatus.PUBLISHED) throw new ApiError('ANNOUNCEMENT_NOT_FOUND');
  return row;
}

/** For administrators: finds it in any status and locks it until this transaction ends. */
export async function lockExistingAnnouncement(
  tx: Tx,
  engine: Engine,
  tenantId: Key,
  id: Key,
): Promise<AnnouncementRow> {
  const row = await lockAnnouncement(tx, engine, tenantId, id);
  if (row === null) throw new ApiError('ANNOUNCEMENT_NOT_FOUND');
  return row;
}
