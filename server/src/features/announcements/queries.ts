// All SQL on announcements and read marks. Deleted announcements are excluded.
import type { AnnouncementPriority, AnnouncementStatus } from '@recordproof/shared/api/announcements.ts';
import { announcementStatus } from '@recordproof/shared/api/announcements.ts';
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { escapeLike } from '../../platform/db/like.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { onPage, toOrder } from '../../platform/db/page.ts';
import { countRows, findFirst, insertReturning, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { foldText } from '../../platform/text.ts';

export type AnnouncementRow = Selectable<Tables['announcement']>;

type Builder = ExpressionBuilder<Tables, 'announcement'>;

const undeleted = (db: Db, tenantId: Key, id: Key) =>
  selectWhere(db, 'announcement', { tenant_id: tenantId, id }).selectAll().where('deleted_at', 'is', null);

export const findAnnouncement = (db: Db, tenantId: Key, id: Key): Promise<AnnouncementRow | null> =>
  findFirst(undeleted(db, tenantId, id));

/** Locks the announcement until this transaction ends. SQLite has a single writer and needs no lock. */
export function lockAnnouncement(tx: Tx, engine: Engine, tenantId: Key, id: Key): Promise<AnnouncementRow | null> {
  const query = undeleted(tx, tenantId, id);
  return findFirst(engine === 'postgres' ? query.forUpdate() : query);
}

/** The editable columns. */
export type Draft = Pick<AnnouncementRow, 'title' | 'content' | 'priority' | 'is_pinned' | 'publish_at' | 'expire_at'>;

export const insertAnnouncement = (
  tx: Tx,
  author: { readonly tenantId: Key; readonly userId: Key },
  draft: Draft,
  now: Time,
): Promise<AnnouncementRow> =>
  insertReturning(tx, 'announcement', {
    ...draft,
    tenant_id: author.tenantId,
    author_id: author.userId,
    title_folded: foldText(draft.title),
    published_at: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  });

type Change = Draft | Pick<AnnouncementRow, 'published_at'> | Pick<AnnouncementRow, 'deleted_at'>;

/** Requires that the transaction holds the lock. */
export const updateAnnouncement = (
  tx: Tx,
  announcement: AnnouncementRow,
  change: Change,
  now: Time,
): Promise<AnnouncementRow> =>
  tx
    .updateTable('announcement')
    .set({ ...change, ...('title' in change && { title_folded: foldText(change.title) }), updated_at: now })
    .where('id', '=', announcement.id)
    .where('tenant_id', '=', announcement.tenant_id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Returns false if this person had already read it. */
export async function insertRead(tx: Tx, announcementId: Key, userId: Key, now: Time): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('announcement_read')
    .values({ announcement_id: announcementId, user_id: userId, read_at: now })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Published and not expired. */
const isShown = (eb: Builder, now: Time): Expression<SqlBool> =>
  eb.and([eb('published_at', 'is not', null), eb.or([eb('expire_at', 'is', null), eb('expire_at', '>', now)])]);

const wasReadBy = (eb: Builder, userId: Key): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('announcement_read')
      .select(sql.lit(1).as('one'))
      .whereRef('announcement_read.announcement_id', '=', 'announcement.id')
      .where('announcement_read.user_id', '=', userId),
  );

const toCondition = (eb: Builder, status: AnnouncementStatus, now: Time): Expression<SqlBool> => {
  switch (status) {
    case announcementStatus.DRAFT:
      return eb('published_at', 'is', null);
    case announcementStatus.PUBLISHED:
      return isShown(eb, now);
    case announcementStatus.EXPIRED:
      return eb.and([eb('published_at', 'is not', null), eb('expire_at', '<=', now)]);
  }
};

type AnnouncementFilter = {
  readonly tenantId: Key;
  readonly status?: AnnouncementStatus | undefined;
  readonly priority?: AnnouncementPriority | undefined;
  readonly keyword?: string | undefined;
  /** Filters by whether this person has read it. */
  readonly read?: { readonly userId: Key; readonly is: boolean } | undefined;
};

function select(db: Db, filter: AnnouncementFilter, now: Time) {
  const { status, priority, keyword, read } = filter;
  let query = selectWhere(db, 'announcement', { tenant_id: filter.tenantId }).where(sql<boolean>`deleted_at is null`);
  if (status !== undefined) query = query.where(eb => toCondition(eb, status, now));
  if (priority !== undefined) query = query.where('priority', '=', priority);
  if (keyword !== undefined) {
    const pattern = `%${escapeLike(foldText(keyword))}%`;
    query = query.where(sql<boolean>`title_folded like ${pattern} escape '\\'`);
  }
  if (read === undefined) return query;
  return query.where(eb => (read.is ? wasReadBy(eb, read.userId) : eb.not(wasReadBy(eb, read.userId))));
}

export const countAnnouncements = (db: Db, filter: AnnouncementFilter, now: Time): Promise<number> =>
  countRows(select(db, filter, now));

const columns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  publishedAt: 'published_at',
  priority: 'priority',
} as const;

export async function listAnnouncements(
  db: Db,
  filter: AnnouncementFilter,
  request: PageRequest & { readonly pinnedFirst: boolean },
  now: Time,
): Promise<AnnouncementRow[]> {
  const { column, direction } = toOrder(request, columns);
  const query = select(db, filter, now).selectAll();
  return (request.pinnedFirst ? query.orderBy('is_pinned', 'desc') : query)
    .orderBy(column, direction)
    .orderBy('id', direction)
    .$call(onPage(request))
    .execute();
}

/** Returns which of these this person has read. */
export async function listRead(db: Db, userId: Key, ids: readonly Key[]): Promise<ReadonlySet<Key>> {
  if (ids.length === 0) return new Set();
  const rows = await selectWhere(db, 'announcement_read', { user_id: userId })
    .select('announcement_id')
    .where('announcement_id', 'in', ids)
    .execute();
  return new Set(rows.map(row => row.announcement_id));
}
