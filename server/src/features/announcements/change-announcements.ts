// Creation, editing, publication and deletion of announcements by administrators. A draft is
// published once, at its publish time by a job; users of the tenant are notified with the commit.
import type { AnnouncementInput } from '@recordproof/shared/api/announcements.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { findWrongTime, isDue, mayPublish, mayUpdate } from './policy.ts';
import {
  type AnnouncementRow,
  type Draft,
  insertAnnouncement,
  lockAnnouncement,
  updateAnnouncement,
} from './queries.ts';

const publishJobKind = 'announcements.publish';

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

/** In any status, locked until this transaction ends. */
async function lockExisting(tx: Tx, engine: Engine, tenantId: Key, id: Key): Promise<AnnouncementRow> {
  const row = await lockAnnouncement(tx, engine, tenantId, id);
  if (row === null) throw new ApiError('ANNOUNCEMENT_NOT_FOUND');
  return row;
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
    const announcement = await lockExisting(tx, database.kind, call.actor.tenantId, announcementId);
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

export function publishAnnouncement(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  announcementId: Key,
): Promise<AnnouncementRow> {
  return database.db.transaction().execute(async tx => {
    const draft = await lockExisting(tx, database.kind, call.actor.tenantId, announcementId);
    const now = clock.now();
    const rejection = mayPublish(draft, now);
    if (rejection !== null) throw new ApiError('CONFLICT', rejection);
    return publish(tx, call, draft, now);
  });
}

async function publish(tx: Tx, call: Call<Party>, draft: AnnouncementRow, now: Time): Promise<AnnouncementRow> {
  const row = await updateAnnouncement(tx, draft, { published_at: now }, now);
  const { id, tenant_id: tenantId, title, priority } = row;
  const param = { announcementId: id };
  await recordAudit(tx, call, now, 'announcements.publish', `announcement ${id} published`, param);
  const payload = { id: toWireId(id), title, priority, isPinned: row.is_pinned === 1 };
  await notify(tx, { tenantId, to: { kind: 'tenant' }, type: 'announcement-published', payload }, now);
  return row;
}

export const publishScheduled = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: publishJobKind,
  leaseSeconds: 60,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(5, 600),
  run: async ({ payload }) => {
    const { tenantId, announcementId } = payload as { tenantId: Key; announcementId: Key };
    await database.db.transaction().execute(async tx => {
      const draft = await lockAnnouncement(tx, database.kind, tenantId, announcementId);
      const now = clock.now();
      if (draft === null || !isDue(draft, now)) return;
      await publish(tx, localCall('announcement schedule', tenantId, now), draft, now);
    });
  },
});

/** In any status. The row stays, because the audit log refers to it. */
export function deleteAnnouncement(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  announcementId: Key,
): Promise<void> {
  return database.db.transaction().execute(async tx => {
    const announcement = await lockExisting(tx, database.kind, call.actor.tenantId, announcementId);
    const now = clock.now();
    await updateAnnouncement(tx, announcement, { deleted_at: now }, now);
    await recordAudit(tx, call, now, 'announcements.delete', `announcement ${announcement.id} deleted`, {
      announcementId: announcement.id,
    });
  });
}
