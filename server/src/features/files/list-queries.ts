// Pages of the files of an owner, or of a whole tenant; searches stand in search-queries.ts. A page is first found as ids,
// in an index that holds all it takes, and only then read; what lies past the middle is counted from the other end.
// Totals come from counters, so no list ever counts.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { sql } from 'kysely';
import { type Found, findPage, toOrder, toSlice } from '../../platform/db/page.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { FileRow } from './queries.ts';
import { findUsage, wholeTenant } from './usage-queries.ts';

/** What pages are ordered by. */
export const columns = { createdAt: 'created_at', fileName: 'name_folded', fileSize: 'file_size' } as const;

type Owner = { readonly tenantId: Key; readonly ownerId: Key };

/** Without an owner: of everybody in the tenant. Its indexes know one order only, that of time. */
export type Scope = { readonly tenantId: Key; readonly ownerId?: Key | undefined };

export const hasOwner = (scope: Scope): scope is Owner => scope.ownerId !== undefined;

/** On the table `file`, or its alias. */
export const within = (scope: Scope, alias: 'f' | 'file' = 'file') => {
  const table = sql.raw(alias);
  const tenant = sql<boolean>`${table}.tenant_id = ${scope.tenantId}`;
  return hasOwner(scope) ? sql<boolean>`${tenant} and ${table}.owner_id = ${scope.ownerId}` : tenant;
};

/** Written out, not as values: only so the partial indexes are known to fit. */
const newestLive = sql<boolean>`is_latest = 1 and status = 1`;

const turned = { asc: 'desc', desc: 'asc' } as const;

/** Whole parts: `a/b` holds `a/b/c` and not `a/bc`. Nothing that begins with "/" sorts at or behind "0". */
export const inFolder = (path: string) =>
  sql<boolean>`(path = ${path} or (path >= ${`${path}/`} and path < ${`${path}0`}))`;

/** The newest versions from one folder and those below it. */
async function listFolder(db: Db, scope: Scope, request: PageRequest, path: string): Promise<Found<FileRow>> {
  const { column, direction } = toOrder(request, columns);
  const files = db
    .selectFrom('file')
    .where(within(scope))
    .where(sql<boolean>`path is not null`)
    .where(inFolder(path))
    .where(newestLive);
  return findPage(files, request, query => query.selectAll().orderBy(column, direction).orderBy('id', direction));
}

/** Where the newest versions of an owner's files came from, with how many from each; read from an index alone. */
export async function listFolders(
  db: Db,
  { tenantId, ownerId }: Owner,
  limit: number,
): Promise<{ folders: { path: string; files: number }[]; more: boolean }> {
  const rows = await db
    .selectFrom('file')
    .select(eb => ['path', eb.fn.countAll<number | string>().as('files')])
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', ownerId)
    .where(sql<boolean>`path is not null`)
    .where(newestLive)
    .groupBy('path')
    .orderBy('path')
    .limit(limit + 1)
    .execute();
  const folders = rows.slice(0, limit).map(({ path, files }) => ({ path: path ?? '', files: Number(files) }));
  return { folders, more: rows.length > limit };
}

/** The newest versions. */
export async function listFiles(
  db: Db,
  scope: Scope,
  request: PageRequest & { readonly path?: string | undefined },
): Promise<Found<FileRow>> {
  if (request.path !== undefined) return listFolder(db, scope, request, request.path);
  const total = (await findUsage(db, scope.tenantId, scope.ownerId ?? wholeTenant))?.latest_files ?? 0;
  const { column, direction } = toOrder(request, columns);
  const { offset, limit: most } = toSlice(request);
  const limit = Math.min(most, total - offset);
  if (limit <= 0) return { rows: [], total };
  const fromEnd = offset > total / 2;
  const way = fromEnd ? turned[direction] : direction;
  const ids = db
    .selectFrom('file')
    .select('id')
    .where(within(scope))
    .where(newestLive)
    .orderBy(column, way)
    .orderBy('id', way)
    .limit(limit)
    .offset(fromEnd ? total - offset - limit : offset);
  const rows = await db
    .selectFrom(ids.as('page'))
    .innerJoin('file', 'file.id', 'page.id')
    .selectAll('file')
    .orderBy(`file.${column}`, direction)
    .orderBy('file.id', direction)
    .execute();
  return { rows, total };
}
