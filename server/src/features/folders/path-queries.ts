// SQL on paths and names of files: taken names, moves of whole version chains, their history.
import { sql } from 'kysely';
import { isOneOf } from '../../platform/db/key-set.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { chainOf, type FileRow, foldFileName, newestLive } from '../files/index.ts';

/** The newest versions of these hashes, locked until the transaction ends. */
export const lockNewestByHash = (
  tx: Tx,
  engine: Engine,
  { tenantId, ownerId }: Owner,
  hashes: readonly string[],
): Promise<FileRow[]> =>
  selectWhere(tx, 'file', { tenant_id: tenantId, owner_id: ownerId })
    .selectAll()
    .where('file_hash', 'in', hashes)
    .where(newestLive)
    .orderBy('id', 'desc')
    .$if(engine === 'postgres', query => query.forUpdate())
    .execute();

export type Placed = { readonly file: FileRow; readonly path: string | null; readonly fileName: string };

/**
 * Moves each file with all its versions; the new name applies to the newest. The old path and name are added to its
 * history.
 */
export async function placeFiles(
  tx: Tx,
  engine: Engine,
  moves: readonly Placed[],
  { now, by }: { readonly now: Time; readonly by: Key },
): Promise<void> {
  if (moves.length === 0) return;
  const ids = moves.map(({ file }) => file.id);
  await sql`
    insert into file_path_change (tenant_id, version_group_id, path, file_name, changed_at, changed_by)
    select tenant_id, version_group_id, path, file_name, cast(${now} as bigint), cast(${by} as bigint)
    from file where ${isOneOf(engine, 'id', ids)} order by id`.execute(tx);
  const moved = moves.filter(({ file, path }) => file.path !== path);
  if (moved.length > 0) await setPaths(tx, engine, moved);
  for (const { file, fileName } of moves) {
    if (file.file_name === fileName) continue;
    const name = { file_name: fileName, name_folded: foldFileName(fileName) };
    await updateWhere(tx, 'file', { id: file.id }, name);
  }
}

async function setPaths(tx: Tx, engine: Engine, moves: readonly Placed[]): Promise<void> {
  const chains = moves.map(({ file }) => chainOf(file));
  const paths = moves.map(({ path }) => path);
  const table =
    engine === 'postgres'
      ? sql`unnest(${chains}::bigint[], ${paths}::text[]) m (chain, path)`
      : sql`(select value ->> 0 chain, value ->> 1 path from json_each(${JSON.stringify(chains.map((chain, at) => [chain, paths[at]]))})) m`;
  await sql`update file set path = m.path from ${table} where file.version_group_id = m.chain`.execute(tx);
}

type PathChangeRow = { path: string | null; file_name: string; changed_at: Time; username: string | null };

/** Newest first. */
export const listPathChanges = (db: Db, file: FileRow, limit: number): Promise<PathChangeRow[]> =>
  db
    .selectFrom('file_path_change as c')
    .leftJoin('account as a', 'a.id', 'c.changed_by')
    .select(['c.path', 'c.file_name', 'c.changed_at', 'a.username'])
    .where('c.tenant_id', '=', file.tenant_id)
    .where('c.version_group_id', '=', file.version_group_id)
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute();
