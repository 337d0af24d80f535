// SQL on the provenance of files: the columns of `file` that say from which record a copy was saved.
import { mostProvenanceLinks } from '@recordproof/shared/api/admin-files.ts';
import { sql } from 'kysely';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { FileRow } from '../files/index.ts';

/** From the first record to this one; of a longer chain, the part nearest to this one. */
export async function listProvenance(db: Db, { id, tenant_id: tenantId }: FileRow): Promise<Key[]> {
  const { rows } = await sql<{ id: Key }>`
    with recursive origin (id, source_file_id, step) as (
      select id, source_file_id, 1 from file where id = ${id} and tenant_id = ${tenantId}
      union all
      select f.id, f.source_file_id, origin.step + 1
      from origin join file f on f.id = origin.source_file_id
      where f.tenant_id = ${tenantId} and origin.step < ${sql.lit(mostProvenanceLinks)}
    ) select id from origin order by step desc`.execute(db);
  return rows.map(row => row.id);
}

const copiesOf = (db: Db, { id, tenant_id: tenantId }: FileRow) =>
  db.selectFrom('file').where('source_file_id', '=', id).where('tenant_id', '=', tenantId);

/** The oldest direct copies, in any status. */
export async function listCopies(db: Db, file: FileRow): Promise<Key[]> {
  const rows = await copiesOf(db, file).select('id').orderBy('id').limit(mostProvenanceLinks).execute();
  return rows.map(row => row.id);
}

export async function countCopies(db: Db, file: FileRow): Promise<number> {
  const { count } = await copiesOf(db, file)
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
