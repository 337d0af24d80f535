// Wire format of announcements, for readers and for administrators.
import type { Announcement, ManagedAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
import { listUsernames } from '../accounts/index.ts';
import { toStatus } from './policy.ts';
import { type AnnouncementRow, listRead } from './queries.ts';

/** For rows that readers may see. */
export async function toAnnouncements(db: Db, actor: Actor, rows: readonly AnnouncementRow[]): Promise<Announcement[]> {
  const ids = rows.map(row => row.id);
  const read = await listRead(db, actor.userId, ids);
  return rows.map(row => ({
    id: toWireId(row.id),
    title: row.title,
    priority: row.priority,
    isPinned: row.is_pinned === 1,
    isRead: read.has(row.id),
    publishedAt: toIso(row.published_at as Time),
    expireAt: toIsoOrNull(row.expire_at),
  }));
}

export async function toManaged(db: Db, rows: readonly AnnouncementRow[], now: Time): Promise<ManagedAnnouncement[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const names = await listUsernames(db, first.tenant_id, [...new Set(rows.map(row => row.author_id))]);
  return rows.map(row => ({
    id: toWireId(row.id),
    title: row.title,
    content: row.content,
    priority: row.priority,
    isPinned: row.is_pinned === 1,
    status: toStatus(row, now),
    publishAt: toIsoOrNull(row.publish_at),
    publishedAt: toIsoOrNull(row.published_at),
    expireAt: toIsoOrNull(row.expire_at),
    authorName: names.get(row.author_id) ?? '',
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }));
}
