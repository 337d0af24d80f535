// SQL on an owner's folder tree: levels with their totals, and the contents of a folder.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { type Folder, mostFolderContents } from '@recordproof/shared/api/folders.ts';
import { joinPath } from '@recordproof/shared/file-path.ts';
import { type RawBuilder, sql } from 'kysely';
import { toIso } from '../../platform/clock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { SliceRequest } from '../../platform/db/slice.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { type FileRow, inFolder, newestLive } from '../files/index.ts';

/** Without the path: names of folders are private, and errors are logged. */
export const noSuchFolder = () =>
  new ApiError('RESULT_DATA_NONE', 'there is no folder with this path: list the folders');

/** Checked first: the maximum that one transaction may move or delete. */
export function assertBounded(files: number): void {
  if (files <= mostFolderContents) return;
  const text = `this folder holds more than ${mostFolderContents} files; move or delete the folders in it one by one`;
  throw new ApiError('UNPROCESSABLE', text);
}

type Listed = { readonly folders: Folder[]; readonly more: boolean };

const ofOwner = ({ tenantId, ownerId }: Owner) => sql<boolean>`tenant_id = ${tenantId} and owner_id = ${ownerId}`;

export const hasFolder = async (db: Db, owner: Owner, path: string): Promise<boolean> =>
  (await findFolderTime(db, owner, path)) !== null;

/** When it was created, which distinguishes it from a later folder of the same name; null if it does not exist. */
export async function findFolderTime(db: Db, { tenantId, ownerId }: Owner, path: string): Promise<Time | null> {
  const row = await selectWhere(db, 'folder', { tenant_id: tenantId, owner_id: ownerId, path })
    .select('created_at')
    .executeTakeFirst();
  return row?.created_at ?? null;
}

type Level = {
  readonly path: string;
  /** All subfolders, at any depth. */
  readonly recursive: boolean;
  /** The last name of the previous page; with `recursive`, the last path. */
  readonly after?: string | undefined;
  readonly limit: number;
};

type LevelRow = { path: string; created_at: Time; folders: number; files: number; bytes: number | string | null };

/** The direct subfolders, ordered by name. Totals are read from an index alone. */
export async function listLevel(db: Db, { tenantId, ownerId }: Owner, level: Level): Promise<Listed> {
  const { path, recursive, after, limit } = level;
  const beyond = after === undefined ? '' : recursive ? after : joinPath(path, after);
  const below = path === '' ? sql`true` : sql`path >= ${`${path}/`} and path < ${`${path}0`}`;
  // Two index ranges per folder: its own files, and those in subfolders. `cross join` keeps SQLite from reading all
  // files.
  const totals = (range: RawBuilder<boolean>) => sql`
    select l.path, count(*) as files, sum(f.file_size) as bytes from level l cross join file f
    where f.tenant_id = ${tenantId} and f.owner_id = ${ownerId} and f.is_latest = 1 and f.status = 1
      and ${range} group by l.path`;
  const { rows } = await sql<LevelRow>`
    with level as (
      select path, created_at from folder
      where tenant_id = ${tenantId} and owner_id = ${ownerId} and ${recursive ? below : sql`parent = ${path}`} and path > ${beyond}
      order by path limit ${limit + 1}),
    totals as (
      ${totals(sql<boolean>`f.path = l.path`)}
      union all
      ${totals(sql<boolean>`f.path >= l.path || '/' and f.path < l.path || '0'`)})
    select l.path, l.created_at,
      (select count(*) from folder c
        where c.tenant_id = ${tenantId} and c.owner_id = ${ownerId} and c.parent = l.path) as folders,
      coalesce((select sum(t.files) from totals t where t.path = l.path), 0) as files,
      coalesce((select sum(t.bytes) from totals t where t.path = l.path), 0) as bytes
    from level l order by l.path`.execute(db);
  return { folders: rows.slice(0, limit).map(toFolder), more: rows.length > limit };
}

const toFolder = (row: LevelRow): Folder => ({
  path: row.path,
  files: Number(row.files),
  bytes: Number(row.bytes ?? 0),
  folders: Number(row.folders),
  createdAt: row.created_at === 0 ? null : toIso(row.created_at),
});

/** All folders that contain files directly, with number and size; read from an index alone. */
export async function listFilled(db: Db, { tenantId, ownerId }: Owner, limit: number): Promise<Listed> {
  const rows = await selectWhere(db, 'file', { tenant_id: tenantId, owner_id: ownerId })
    .select(eb => [
      'path',
      eb.fn.countAll<number | string>().as('files'),
      eb.fn.sum<number | string>('file_size').as('bytes'),
    ])
    .where(sql<boolean>`path is not null`)
    .where(newestLive)
    .groupBy('path')
    .orderBy('path')
    .limit(limit + 1)
    .execute();
  const folders = rows.slice(0, limit).map(({ path, files, bytes }) => ({
    ...{ path: path ?? '', files: Number(files), bytes: Number(bytes) },
    ...{ folders: 0, createdAt: null },
  }));
  return { folders, more: rows.length > limit };
}

/** The newest versions in the folder and its subfolders, ordered by path; "" is everything. */
export async function listContents(db: Db, owner: Owner, path: string, limit: number): Promise<FileRow[]> {
  const query = db.selectFrom('file').selectAll().where(ofOwner(owner)).where(newestLive);
  const within = path === '' ? query : query.where(inFolder(path));
  return within.orderBy('path').orderBy('name_folded').orderBy('id').limit(limit).execute();
}

/**
 * As `listContents`, one slice in the order of their ids, which moves and renames do not change. Found in the index by
 * folder: with `id` itself a planner may read all files of the owner in that order instead.
 */
export function listContentSlice(
  db: Db,
  owner: Owner,
  path: string,
  { limit, cursor = 0 }: SliceRequest,
): Promise<FileRow[]> {
  const id = path === '' ? sql<Key>`id` : sql<Key>`id + 0`;
  const slice = db
    .selectFrom('file')
    .select('id')
    .where(ofOwner(owner))
    .where(newestLive)
    .$if(path !== '', query => query.where(inFolder(path)))
    .where(sql<boolean>`${id} > ${cursor}`)
    .orderBy(id)
    .limit(limit);
  return db
    .selectFrom(slice.as('slice'))
    .innerJoin('file', 'file.id', 'slice.id')
    .selectAll('file')
    .orderBy('file.id')
    .execute();
}

/** Those that exist, older versions too, in the order of their paths. */
export const listByHash = (db: Db, owner: Owner, hashes: readonly string[]): Promise<FileRow[]> =>
  db
    .selectFrom('file')
    .selectAll()
    .where(ofOwner(owner))
    .where('file_hash', 'in', hashes)
    .where('status', '=', fileStatus.SUCCESS)
    .orderBy('path')
    .orderBy('name_folded')
    .orderBy('id')
    .execute();

const lockNewest = (tx: Tx, engine: Engine, owner: Owner, path: string, limit: number): Promise<FileRow[]> =>
  tx
    .selectFrom('file')
    .selectAll()
    .where(ofOwner(owner))
    .where(inFolder(path))
    .where(newestLive)
    .orderBy('id', 'desc')
    .limit(limit)
    .$if(engine === 'postgres', query => query.forUpdate())
    .execute();

/** The folder and its subfolders. */
async function lockFoldersOf(tx: Tx, engine: Engine, owner: Owner, path: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('folder')
    .select('path')
    .where(ofOwner(owner))
    .where(inFolder(path))
    .orderBy('path')
    .$if(engine === 'postgres', query => query.forUpdate())
    .execute();
  return rows.map(row => row.path);
}

/**
 * Locks the contents of the folder until the transaction ends, and blocks additions. Files are locked before folders,
 * as uploads do; an upload that had locked a folder has added its file before the second read.
 */
export async function lockContents(tx: Tx, engine: Engine, owner: Owner, path: string, limit: number) {
  await lockNewest(tx, engine, owner, path, limit);
  const folders = await lockFoldersOf(tx, engine, owner, path);
  return { folders, files: await lockNewest(tx, engine, owner, path, limit) };
}

export async function deleteFolderRows(tx: Tx, owner: Owner, path: string): Promise<void> {
  await tx.deleteFrom('folder').where(ofOwner(owner)).where(inFolder(path)).execute();
}

type Labelled =
  | { readonly table: 'share'; readonly column: 'folder' }
  | { readonly table: 'drop_link'; readonly column: 'path' };
type Move = { readonly from: string; readonly to: string };

/**
 * Rows of an owner that name the folder, or one below it, name it by its new path. Compared by prefix: these columns
 * have the collation of the database, under which a range also holds `A/b` and `a@b`.
 */
export async function rebaseLabels(
  tx: Tx,
  owner: Owner,
  { from, to }: Move,
  { table, column }: Labelled,
): Promise<void> {
  const label = sql.ref(column);
  await sql`
    update ${sql.table(table)} set ${label} = ${to} || substr(${label}, length(${from}) + 1)
    where ${ofOwner(owner)}
      and (${label} = ${from} or substr(${label}, 1, length(${from}) + 1) = ${`${from}/`})`.execute(tx);
}

/** The folder becomes `to`, and what is below it stays below it. */
export async function moveFolderRows(
  tx: Tx,
  owner: Owner,
  { from, to, parent }: { readonly from: string; readonly to: string; readonly parent: string },
): Promise<void> {
  await sql`
    update folder set
      path = ${to} || substr(path, length(${from}) + 1),
      parent = case when path = ${from} then ${parent} else ${to} || substr(parent, length(${from}) + 1) end
    where ${ofOwner(owner)} and ${inFolder(from)}`.execute(tx);
}
