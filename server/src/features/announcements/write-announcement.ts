// Administrators write drafts, and write anew what they or others wrote. A draft with a time is published then.
import type { AnnouncementWish } from '@recordproof/shared/api/announcements.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { findWrongTime, mayUpdate } from './policy.ts';
import type { AnnouncementPorts } from './ports.ts';
import { publishJobKind } from './publish-announcement.ts';
import { type AnnouncementRow, type Draft, insertAnnouncement, updateAnnouncement } from './queries.ts';
import { holdAny } from './visible.ts';

const toTime = (iso: string | null): Time | null => (iso === null ? null : Date.parse(iso));

const toDraft = ({ title, content, priority, isPinned, publishAt, expireAt }: AnnouncementWish): Draft => ({
  title,
  content,
  priority,
  is_pinned: isPinned ? 1 : 0,
  publish_at: toTime(publishAt),
  expire_at: toTime(expireAt),
});

function refuseWrongTimes(times: Parameters<typeof findWrongTime>[0], now: Time): void {
  const wrong = findWrongTime(times, now);
  if (wrong !== null) throw new ApiError('PARAM_IS_INVALID', wrong);
}

export function createAnnouncement(
  { database, clock }: AnnouncementPorts,
  actor: Actor,
  wish: AnnouncementWish,
  origin: Origin,
): Promise<AnnouncementRow> {
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const draft = toDraft(wish);
    refuseWrongTimes({ ...draft, published_at: null }, now);
    const row = await insertAnnouncement(tx, actor, draft, now);
    await record(tx, { actor, row, operation: 'create', origin }, now);
    await schedule(tx, row, now);
    return row;
  });
}

export type UpdateRequest = {
  readonly actor: Actor;
  readonly announcementId: Key;
  readonly wish: AnnouncementWish;
  readonly origin: Origin;
};

export function rewriteAnnouncement(
  { database, clock }: AnnouncementPorts,
  { actor, announcementId, wish, origin }: UpdateRequest,
): Promise<AnnouncementRow> {
  return database.db.transaction().execute(async tx => {
    const held = await holdAny(tx, database.kind, actor.tenantId, announcementId);
    const now = clock.now();
    const refusal = mayUpdate(held, now);
    if (refusal !== null) throw new ApiError('CONFLICT', refusal);
    const isPublished = held.published_at !== null;
    const draft = { ...toDraft(wish), ...(isPublished && { publish_at: held.publish_at }) };
    refuseWrongTimes({ ...draft, published_at: held.published_at }, now);
    const row = await updateAnnouncement(tx, held, draft, now);
    await record(tx, { actor, row, operation: 'update', origin }, now);
    if (!isPublished && row.publish_at !== held.publish_at) await schedule(tx, row, now);
    return row;
  });
}

type Deed = {
  readonly actor: Actor;
  readonly row: AnnouncementRow;
  readonly operation: 'create' | 'update';
  readonly origin: Origin;
};

const record = (tx: Tx, { actor, row, operation, origin }: Deed, now: Time): Promise<void> =>
  appendAudit(
    tx,
    {
      tenantId: row.tenant_id,
      who: actor,
      module: 'announcements',
      operation,
      description: `announcement ${row.id} ${operation}d`,
      param: { announcementId: row.id, publishAt: row.publish_at, expireAt: row.expire_at },
      origin,
    },
    now,
  );

/** A job of an earlier time finds that it is not due, or no draft any more, and leaves it. */
async function schedule(tx: Tx, { id, tenant_id: tenantId, publish_at: runAt }: AnnouncementRow, now: Time) {
  if (runAt === null) return;
  await enqueue(tx, { kind: publishJobKind, payload: { tenantId, announcementId: id }, runAt }, now);
}
