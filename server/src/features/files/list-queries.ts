// Pages of the files of an owner, or of a whole tenant; searches are in search-queries.ts. A page is first found as ids
// in a covering index, and only then read; pages past the middle are read from the other end. Totals come from
// counters, so no list counts rows.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { onPage, type RowPage, toOrder, toSlice } from '../../platform/db/page.ts';
import type { Db, Key, Tables } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { wholeTenant } from '../quotas/index.ts';
import type { FileRow } from './queries.ts';

/** Sort columns. */
export const columns = { createdAt: 'created_at', fileName: 'name_folded', fileSize: 'file_size' } as const;

/** Without an owner: all files of the tenant, whose indexes support only the order by time. */
export type Scope = { readonly tenantId: Key; readonly ownerId?: Key | undefined };

export const hasOwner = (scope: Scope): scope is Owner => scope.ownerId !== undefined;

/** On the table `file`, or its alias. */
export const within = (scope: Scope, alias: 'f' | 'file' = 'file') => {
  const table = sql.raw(alias);
  const tenant = sql<boolean>`${table}.tenant_id = ${scope.tenantId}`;
  return hasOwner(scope) ? sql<boolean>`${tenant} and ${table}.owner_id = ${scope.ownerId}` : tenant;
};

/** As literals, so that the partial indexes match. */
export const newestLive = sql<boolean>`is_latest = 1 and status = 1`;

const turned = { asc: 'desc', desc: 'asc' } as const;

/**
 * By path component: `a/b` contains `a/b/c` but not `a/bc`. "0" directly follows "/" in sort order. The first two
 * conditions are one range of the index by folder, the others exclude its siblings: `a/b c`.
 */
export const inFolder = (path: string) =>
  sql<boolean>`(path >= ${path} and path < ${`${path}0`} and (path = ${path} or path >= ${`${path}/`}))`;

/** "" is the top level. */
export const directlyIn = (folder: string) =>
  folder === '' ? sql<boolean>`path is null` : sql<boolean>`path = ${folder}`;

/**
 * Up to here the rows of folders are sorted; beyond, they are found in the order of the list. Sorting takes 0.1 µs a
 * row.
 */
export const mostSortedRows = 200_000;

/**
 * The same order, from an expression that no index has: SQLite would read the whole list of the owner in this order.
 */
const sortedBy = (column: Order['column']) =>
  column === 'name_folded' ? sql<string>`name_folded || ''` : sql<number>`${sql.ref(column)} + 0`;

type Order = { readonly column: (typeof columns)[keyof typeof columns]; readonly direction: 'asc' | 'desc' };

/** The files of a page of ids, in that order. */
export const filesOf = (db: Db, ids: SelectQueryBuilder<Tables, 'file', { id: Key }>, { column, direction }: Order) =>
  db
    .selectFrom(ids.as('page'))
    .innerJoin('file', 'file.id', 'page.id')
    .selectAll('file')
    .orderBy(`file.${column}`, direction)
    .orderBy('file.id', direction);

/** The newest versions in a folder, found as ids in the index by folder. */
async function listFolder(
  db: Db,
  scope: Scope,
  request: PageRequest,
  isIn: RawBuilder<boolean>,
): Promise<RowPage<FileRow>> {
  const { column, direction } = toOrder(request, columns);
  const files = db.selectFrom('file').where(within(scope)).where(isIn).where(newestLive);
  const { total } = await files.select(eb => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  if (total === 0) return { rows: [], total };
  const ids = files
    .select('id')
    .orderBy(total > mostSortedRows ? sql.ref(column) : sortedBy(column), direction)
    .orderBy('id', direction)
    .$call(onPage(request));
  return { rows: await filesOf(db, ids, { column, direction }).execute(), total };
}

/** The newest versions. */
export async function listFiles(
  db: Db,
  scope: Scope,
  request: PageRequest & { readonly path?: string | undefined; readonly folder?: string | undefined },
): Promise<RowPage<FileRow>> {
  if (request.folder !== undefined) return listFolder(db, scope, request, directlyIn(request.folder));
  if (request.path !== undefined) return listFolder(db, scope, request, inFolder(request.path));
  const { offset, limit } = toSlice(request);
  if (offset <= nearStart) {
    const rows = await readSlice(db, scope, request, { offset, limit });
    const [first] = rows;
    if (first !== undefined || offset === 0) return { rows, total: first?.total ?? 0 };
  }
  const total = (await countLatest(db, scope).executeTakeFirst())?.latest_files ?? 0;
  const some = Math.min(limit, total - offset);
  if (some <= 0) return { rows: [], total };
  const fromEnd = offset > total / 2 ? total - offset - some : undefined;
  return { rows: await readSlice(db, scope, request, { offset, limit: some, fromEnd }), total };
}

/** Up to here a page is read before the total is known. */
const nearStart = 1000;

type Slice = {
  readonly offset: number;
  readonly limit: number;
  /** How many to skip in the opposite order, if that is shorter. */
  readonly fromEnd?: number | undefined;
};

const countLatest = (db: Db, { tenantId, ownerId = wholeTenant }: Scope) =>
  db.selectFrom('file_usage').select('latest_files').where('tenant_id', '=', tenantId).where('owner_id', '=', ownerId);

/** Each with the total. */
function readSlice(db: Db, scope: Scope, request: PageRequest, { offset, limit, fromEnd }: Slice) {
  const { column, direction } = toOrder(request, columns);
  const way = fromEnd === undefined ? direction : turned[direction];
  const ids = db
    .selectFrom('file')
    .select('id')
    .where(within(scope))
    .where(newestLive)
    .orderBy(column, way)
    .orderBy('id', way)
    .limit(limit)
    .offset(fromEnd ?? offset);
  return filesOf(db, ids, { column, direction }).select(countLatest(db, scope).as('total')).execute();
}
