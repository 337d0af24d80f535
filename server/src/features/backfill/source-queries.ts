// All SQL on the claims of imported records.
import type { Selectable } from 'kysely';
import { insertInto, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type SourceRow = Selectable<Tables['backfill_source']>;
export type ChunkRow = Selectable<Tables['backfill_chunk']>;

type NewSource = Omit<SourceRow, 'created_at'> & {
  readonly chunks: readonly Pick<ChunkRow, 'chunk_index' | 'path' | 'size' | 'plain_hash'>[];
};

const rowsAtOnce = 500;

export async function insertSources(tx: Tx, sources: readonly NewSource[], now: Time): Promise<void> {
  if (sources.length === 0) return;
  const rows = sources.map(({ chunks, ...source }) => ({ ...source, created_at: now }));
  await insertInto(tx, 'backfill_source', rows);
  const chunks = sources.flatMap(({ chunks, tenant_id, file_id }) =>
    chunks.map(chunk => ({ ...chunk, tenant_id, file_id })),
  );
  for (let from = 0; from < chunks.length; from += rowsAtOnce)
    await insertInto(tx, 'backfill_chunk', chunks.slice(from, from + rowsAtOnce));
}

export const listSources = (db: Db, tenantId: Key, fileIds: readonly Key[]): Promise<SourceRow[]> =>
  selectWhere(db, 'backfill_source', { tenant_id: tenantId }).selectAll().where('file_id', 'in', fileIds).execute();

/** In the order of the list. */
export const listChunks = (db: Db, tenantId: Key, fileId: Key): Promise<ChunkRow[]> =>
  selectWhere(db, 'backfill_chunk', { tenant_id: tenantId, file_id: fileId }).selectAll().orderBy('id').execute();

type TakenHash = { file_hash: string; tenant_id: Key; line_digest: string | null };

/** Record ids are unique across tenants. */
export const listTakenHashes = (db: Db, hashes: readonly string[]): Promise<TakenHash[]> =>
  db
    .selectFrom('file as f')
    .leftJoin('backfill_source as s', 's.file_id', 'f.id')
    .select(['f.file_hash', 'f.tenant_id', 's.line_digest'])
    .where('f.file_hash', 'in', hashes)
    .execute();

/** Across tenants: object paths of records without a manifest, which hold no references until they are applied. */
export async function listNamedPaths(db: Db, paths: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('backfill_chunk as c')
    .innerJoin('file as f', 'f.id', 'c.file_id')
    .select('c.path')
    .distinct()
    .where('c.path', 'in', paths)
    .where('f.manifest_hash', 'is', null)
    .where('f.objects_released_at', 'is', null)
    .execute();
  return rows.map(({ path }) => path);
}
