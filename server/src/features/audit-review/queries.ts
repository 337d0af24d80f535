// SQL on rows of the audit log.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { type SelectQueryBuilder, sql } from 'kysely';
import { onPage, type RowPage, toOrder, toSlice } from '../../platform/db/page.ts';
import { countRows as countMatching, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { foldName } from '../accounts/index.ts';
import { type AuditLogRow, findAnchor, findAuditHead, toAuditLogRow, unpackTexts } from '../audit/index.ts';
import type { Kind } from './figures.ts';

export type RowFilter = {
  readonly userId?: Key | undefined;
  readonly username?: string | undefined;
  readonly module?: string | undefined;
  readonly operationType?: string | undefined;
  readonly status?: 0 | 1 | undefined;
  readonly requestIp?: string | undefined;
  readonly from?: Time | undefined;
  readonly to?: Time | undefined;
  readonly kinds?: readonly Kind[] | undefined;
};

type Rows<O> = SelectQueryBuilder<Tables, 'audit_log', O>;

/** As a literal, so that the partial index matches. */
const failed = sql<boolean>`status = 1`;

function matching(db: Db, tenantId: Key, filter: RowFilter): Rows<object> {
  let query: Rows<object> = db.selectFrom('audit_log').where('tenant_id', '=', tenantId);
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.username !== undefined) query = query.where('username', '=', filter.username);
  if (filter.module !== undefined) query = query.where('module', '=', filter.module);
  if (filter.operationType !== undefined) query = query.where('operation_type', '=', filter.operationType);
  if (filter.status === 1) query = query.where(failed);
  if (filter.status === 0) query = query.where('status', '=', 0);
  if (filter.requestIp !== undefined) query = query.where('request_ip', '=', filter.requestIp);
  if (filter.from !== undefined) query = query.where('operation_time', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('operation_time', '<=', filter.to);
  const { kinds } = filter;
  if (kinds === undefined) return query;
  const isOf = ({ module, operationType }: Kind) =>
    sql<boolean>`(module = ${module} and operation_type = ${operationType})`;
  return query.where(({ or }) => or(kinds.map(isOf)));
}

const columns = { operationTime: 'operation_time' } as const;

export type PageSlice = Pick<PageRequest, 'page' | 'size' | 'sort'>;

export async function findRows(
  db: Db,
  tenantId: Key,
  filter: RowFilter,
  request: PageSlice,
): Promise<RowPage<AuditLogRow>> {
  const { column, direction } = toOrder(request, columns);
  const rows = await matching(db, tenantId, filter)
    .selectAll()
    .orderBy(column, direction)
    .orderBy('id', direction)
    .$call(onPage(request))
    .execute();
  return { rows: rows.map(toAuditLogRow), total: await countRows(db, tenantId, filter) };
}

export const asksForAll = (filter: RowFilter): boolean => Object.values(filter).every(value => value === undefined);

/** Chain positions have no gaps. */
async function countChain(db: Db, tenantId: Key): Promise<number> {
  const [head, anchor] = await Promise.all([findAuditHead(db, tenantId), findAnchor(db, tenantId)]);
  return head.position - anchor.position;
}

/** Successful rows are counted as all rows minus refused ones, which have an index. */
async function countRows(db: Db, tenantId: Key, filter: RowFilter): Promise<number> {
  if (asksForAll(filter)) return countChain(db, tenantId);
  if (filter.status === 0) {
    const rejected = await countRows(db, tenantId, { ...filter, status: 1 }); // before the next count
    return (await countRows(db, tenantId, { ...filter, status: undefined })) - rejected;
  }
  return countMatching(matching(db, tenantId, filter));
}

/** Rows of these kinds: the newest of each kind are read from the index, then merged into pages. */
export async function listRowsOfKinds(
  db: Db,
  tenantId: Key,
  filter: RowFilter,
  kinds: readonly Kind[],
  request: PageSlice,
): Promise<AuditLogRow[]> {
  const { column, direction } = toOrder(request, columns);
  const first = { page: 1, size: request.page * request.size };
  const [head, ...others] = kinds.map(kind => {
    const newest = matching(db, tenantId, { ...filter, ...kind })
      .select(['id', 'operation_time'])
      .orderBy(column, direction)
      .orderBy('id', direction)
      .$call(onPage(first));
    return db.selectFrom(newest.as('newest')).select(['id', 'operation_time']);
  });
  if (head === undefined) return [];
  const all = others.reduce((union, one) => union.unionAll(one), head);
  const rows = await db
    .with('one', () => all)
    .selectFrom(eb =>
      eb
        .selectFrom('one')
        .select('id')
        .orderBy(column, direction)
        .orderBy('id', direction)
        .$call(onPage(request))
        .as('page'),
    )
    .innerJoin('audit_log', 'audit_log.id', 'page.id')
    .selectAll('audit_log')
    .orderBy(`audit_log.${column}`, direction)
    .orderBy('audit_log.id', direction)
    .execute();
  return rows.map(toAuditLogRow);
}

export async function countRowsOfKinds(db: Db, tenantId: Key, filter: RowFilter, kinds: readonly Kind[]) {
  const counts = await Promise.all(kinds.map(kind => countRows(db, tenantId, { ...filter, ...kind })));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * All rows by time, which differs from chain order because servers write concurrently and clocks differ. Counted from
 * the nearer end, and only in the index, so that the last pages are as fast as the first.
 */
export async function findPageOfAll(db: Db, tenantId: Key, request: PageSlice): Promise<RowPage<AuditLogRow>> {
  const total = await countChain(db, tenantId);
  const { column, direction } = toOrder(request, columns);
  const { limit, offset } = toSlice(request);
  const size = Math.min(limit, total - offset);
  if (size <= 0) return { rows: [], total };
  const behind = total - offset - size;
  const opposite = direction === 'asc' ? 'desc' : 'asc';
  const [way, skipped] = behind < offset ? ([opposite, behind] as const) : ([direction, offset] as const);
  const pageIds = selectWhere(db, 'audit_log', { tenant_id: tenantId })
    .select('id')
    .orderBy(column, way)
    .orderBy('id', way)
    .limit(size)
    .offset(skipped);
  const rows = await db
    .selectFrom(pageIds.as('page'))
    .innerJoin('audit_log', 'audit_log.id', 'page.id')
    .selectAll('audit_log')
    .orderBy(`audit_log.${column}`, direction)
    .orderBy('audit_log.id', direction)
    .execute();
  return { rows: rows.map(toAuditLogRow), total };
}

export async function findRow(db: Db, tenantId: Key, id: Key): Promise<ChainedRow | null> {
  const query = db.selectFrom('audit_log').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id);
  const row = await query.executeTakeFirst();
  if (row === undefined) return null;
  const before = { position: row.position - 1, hash: await findPositionHash(db, tenantId, row.position - 1) };
  const anchor = before.hash === null ? await findAnchor(db, tenantId) : before;
  return { ...toAuditLogRow(row), previousHash: anchor.position === before.position ? (anchor.hash ?? '') : '' };
}

/** The hash of the row before; empty if that row was removed from the database. */
export type ChainedRow = AuditLogRow & { readonly previousHash: string };

export async function findPositionHash(db: Db, tenantId: Key, position: number): Promise<string | null> {
  const query = selectWhere(db, 'audit_log', { tenant_id: tenantId, position }).select('hash');
  return (await query.executeTakeFirst())?.hash.toString('hex') ?? null;
}

export async function listRowsBehind(db: Db, tenantId: Key, position: number, limit: number): Promise<AuditLogRow[]> {
  const rows = await selectWhere(db, 'audit_log', { tenant_id: tenantId })
    .selectAll()
    .where('position', '>', position)
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(toAuditLogRow);
}

/** The number of operations of a row: a refusal also counts its repetitions. */
const times = sql<number>`cast(coalesce(sum(1 + repeated), 0) as bigint)`;

const failures = (db: Db, tenantId: Key, from: Time, to: Time) =>
  selectWhere(db, 'audit_log', { tenant_id: tenantId })
    .where(failed)
    .where('operation_time', '>=', from)
    .where('operation_time', '<=', to);

export const listFailures = (db: Db, tenantId: Key, { from, to }: { from: Time; to: Time }, limit: number) =>
  failures(db, tenantId, from, to)
    .select(['module', 'operation_type', 'error_msg'])
    .select(eb => [times.as('count'), eb.fn.max('operation_time').as('last_at')])
    .groupBy(['module', 'operation_type', 'error_msg'])
    .orderBy('count', 'desc')
    .orderBy('last_at', 'desc')
    .limit(limit)
    .execute();

export type FailedLogins = { readonly username: string; readonly count: number; readonly last_at: Time };

/**
 * By the name that was tried, in any spelling, whether the account exists or not: it is part of the request parameters.
 */
export async function listFailedLogins(db: Db, tenantId: Key, from: Time, to: Time): Promise<FailedLogins[]> {
  const rows = await failures(db, tenantId, from, to)
    .where('module', '=', 'auth')
    .where('operation_type', '=', 'login')
    .select(['module', 'operation_type', 'packed'])
    .select(eb => [times.as('count'), eb.fn.max('operation_time').as('last_at')])
    .groupBy(['module', 'operation_type', 'packed'])
    .orderBy('count', 'desc')
    .limit(1000)
    .execute();
  const byName = Map.groupBy(rows, row => foldName(toTriedName(unpackTexts(row).request_param)));
  return [...byName].map(([username, tries]) => ({
    username,
    count: tries.reduce((sum, { count }) => sum + count, 0),
    last_at: Math.max(...tries.map(({ last_at }) => last_at)),
  }));
}

function toTriedName(param: string): string {
  try {
    const { username } = JSON.parse(param) as { username?: unknown };
    return typeof username === 'string' ? username : '';
  } catch {
    return ''; // truncated at its limit
  }
}

export async function countSince(db: Db, tenantId: Key, from: Time): Promise<{ all: number; failed: number }> {
  const recent = selectWhere(db, 'audit_log', { tenant_id: tenantId })
    .select([times.as('all'), sql<number>`cast(coalesce(sum(status * (1 + repeated)), 0) as bigint)`.as('failed')])
    .where('operation_time', '>=', from);
  return recent.executeTakeFirstOrThrow();
}

/** The hashes of the rows that exist. */
export async function findHashes(db: Db, tenantId: Key, positions: readonly number[]): Promise<Map<number, string>> {
  if (positions.length === 0) return new Map();
  const rows = await selectWhere(db, 'audit_log', { tenant_id: tenantId })
    .select(['position', 'hash'])
    .where('position', 'in', positions)
    .execute();
  return new Map(rows.map(({ position, hash }) => [position, hash.toString('hex')]));
}

/** Returns false if this head, or another one in the same minute, was already recorded. */
export async function moveRecorded(tx: Tx, next: Tables['audit_recorded']): Promise<boolean> {
  const minuteStart = next.recorded_at - (next.recorded_at % 60_000);
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('audit_recorded')
    .values(next)
    .onConflict(conflict =>
      conflict
        .column('tenant_id')
        .doUpdateSet({ position: next.position, recorded_at: next.recorded_at })
        .where('audit_recorded.position', '<', next.position)
        .where('audit_recorded.recorded_at', '<', minuteStart),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
