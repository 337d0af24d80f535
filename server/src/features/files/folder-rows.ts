// SQL on the folders of owners, one row per folder, and on the folders of their files. A file's folder is created in the transaction that stores the file.
import { parentOf, withParents } from '@recordproof/shared/file-path.ts';
import { sql } from 'kysely';
import { type DeferredWrites, deferToCommit } from '../../platform/db/deferred-writes.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { toKey } from '../../platform/ids.ts';

type FolderKey = Owner & { readonly path: string };

/** The first statement of a transaction that changes an owner's folder tree. Uploads do not take this lock. */
export const lockFolders = (tx: Tx, engine: Engine, { tenantId, ownerId }: Owner): Promise<void> =>
  lockInTransaction(tx, engine, `folders:${tenantId}:${ownerId}`);

type Rows = { readonly tenants: Key[]; readonly owners: Key[]; readonly paths: string[]; readonly parents: string[] };

/** In one order everywhere, so that transactions creating the same folders do not deadlock. */
function toRows(folders: readonly FolderKey[]): Rows {
  const unique = new Map(
    folders.flatMap(({ tenantId, ownerId, path }) =>
      withParents(path).map(each => [`${tenantId} ${ownerId} ${each}`, { tenantId, ownerId, path: each }] as const),
    ),
  );
  const rows = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return {
    tenants: rows.map(row => row.tenantId),
    owners: rows.map(row => row.ownerId),
    paths: rows.map(row => row.path),
    parents: rows.map(row => parentOf(row.path)),
  };
}

const toTable = (engine: Engine, { tenants, owners, paths, parents }: Rows) =>
  engine === 'postgres'
    ? sql`select * from unnest(${tenants}::bigint[], ${owners}::bigint[], ${paths}::text[], ${parents}::text[])
        w (tenant_id, owner_id, path, parent)`
    : sql`select value ->> 0 tenant_id, value ->> 1 owner_id, value ->> 2 path, value ->> 3 parent
        from json_each(${JSON.stringify(paths.map((path, at) => [tenants[at], owners[at], path, parents[at]]))})`;

/**
 * Creates missing folders and their parents, and returns the created paths. Locks them all against deletion and moves
 * until the transaction ends.
 */
export async function ensureFolders(
  tx: Tx,
  engine: Engine,
  folders: readonly FolderKey[],
  now: Time,
): Promise<string[]> {
  const rows = toRows(folders);
  const created: string[] = [];
  if (rows.paths.length === 0) return created;
  for (;;) {
    const { rows: added } = await sql<{ path: string }>`
      insert into folder (tenant_id, owner_id, path, parent, created_at)
      select w.tenant_id, w.owner_id, w.path, w.parent, cast(${now} as bigint) from (${toTable(engine, rows)}) w where true
      on conflict (tenant_id, owner_id, path) do nothing returning path`.execute(tx);
    for (const { path } of added) created.push(path);
    if (engine === 'sqlite') return created;
    const { rows: held } = await sql`
      select f.path from folder f join (${toTable(engine, rows)}) w using (tenant_id, owner_id, path)
      for key share of f`.execute(tx);
    if (held.length === rows.paths.length) return created; // otherwise one was deleted between the two statements
  }
}

const atTheEnd: DeferredWrites<{ readonly folder: FolderKey; readonly now: Time }> = {
  order: 0,
  write: async (tx, engine, items) => {
    const now = Math.max(...items.map(item => item.now));
    await ensureFolders(
      tx,
      engine,
      items.map(({ folder }) => folder),
      now,
    );
  },
};

/** The same, deferred to the commit. */
export const ensureFoldersAtEnd = (tx: Tx, folders: readonly FolderKey[], now: Time): Promise<void> =>
  deferToCommit(
    tx,
    atTheEnd,
    folders.map(folder => ({ folder, now })),
  );

const isHash = (name: string): boolean => name.length === 64;

/** The folders of files, by id or hash, of one owner; null for the top level. */
export async function findFilePaths(
  db: Db,
  { tenantId, ownerId }: Owner,
  names: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (names.length === 0) return new Map();
  const [hashes, ids] = [names.filter(isHash), names.filter(name => !isHash(name))];
  const query = selectWhere(db, 'file', { tenant_id: tenantId, owner_id: ownerId })
    .select(['id', 'file_hash', 'path'])
    .where(eb =>
      eb.or([
        ...(hashes.length > 0 ? [eb('file_hash', 'in', hashes)] : []),
        ...(ids.length > 0 ? [eb('id', 'in', ids.map(toKey))] : []),
      ]),
    );
  const rows = await query.execute();
  return new Map(
    rows.flatMap(row => [
      [row.file_hash, row.path],
      [String(row.id), row.path],
    ]),
  );
}
