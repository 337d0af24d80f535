// Creation, editing and deletion of announcements by administrators. A draft with a publish time is published then.
import type { AnnouncementInput } from '@recordproof/shared/api/announcements.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { findWrongTime, mayUpdate } from './policy.ts';
import { publishJobKind } from './publish-announcement.ts';
import { type AnnouncementRow, type Draft, insertAnnouncement, updateAnnouncement } from './queries.ts';
import { lockExistingAnnouncement } from './read-announcement.ts';

const toTime = (iso: string | null): Time | null => (iso === null ? null : Date.parse(iso));

const toDraft = ({ title, content, priority, isPinned, publishAt, expireAt }: AnnouncementInput): Draft => ({
  title,
  content,
  priority,
  is_pinned: isPinned ? 1 : 0,
  publish_at: toTime(publishAt),
  expire_at: toTime(expireAt),
});

function rejectWrongTimes(times: Parameters<typeof findWrongTime>[0], now: Time): void {
  const wrong = findWrongTime(times, now);
  if (wrong !== null) throw new ApiError('PARAM_IS_INVALID', wrong);
}

export function createAnnouncement(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  input: AnnouncementInput,
): Promise<AnnouncementRow> {
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const draft = toDraft(input);
    rejectWrongTimes({ ...draft, published_at: null }, now);
    const row = await insertAnnouncement(tx, call.actor, draft, now);
    await record(tx, call, row, 'create', now);
    await schedule(tx, row, now);
    return row;
  });
}

type Rewriting = { readonly announcementId: Key; readonly input: AnnouncementInput };

export function rewriteAnnouncement(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { announcementId, input }: Rewriting,
): Promise<AnnouncementRow> {
  return database.db.transaction().execute(async tx => {
    const announcement = await lockExistingAnnouncement(tx, database.kind, call.actor.tenantId, announcementId);
    const now = clock.now();
    const rejection = mayUpdate(announcement, now);
    if (rejection !== null) throw new ApiError('CONFLICT', rejection);
    const isPublished = announcement.published_at !== null;
    const draft = { ...toDraft(input), ...(isPublished && { publish_at: announcement.publish_at }) };
    rejectWrongTimes({ ...draft, published_at: announcement.published_at }, now);
    const row = await updateAnnouncement(tx, announcement, draft, now);
    await record(tx, call, row, 'update', now);
    if (!isPublished && row.publish_at !== announcement.publish_at) await schedule(tx, row, now);
    return row;
  });
}

async function record(
  tx: Tx,
  call: Call,
  row: AnnouncementRow,
  operation: 'create' | 'update',
  now: Time,
): Promise<void> {
  const param = { announcementId: row.id, publishAt: row.publish_at, expireAt: row.expire_at };
  await recordAudit(tx, call, now, `announcements.${operation}`, `announcement ${row.id} ${operation}d`, param);
}

/** A job of an earlier publish time finds the draft not due or already published, and does nothing. */
async function schedule(tx: Tx, { id, tenant_id: tenantId, publish_at: runAt }: AnnouncementRow, now: Time) {
  if (runAt === null) return;
  await enqueue(tx, { kind: publishJobKind, payload: { tenantId, announcementId: id }, runAt }, now);
}

/** In any status. The row stays, because the audit log refers to it. */
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
