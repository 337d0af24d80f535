import { sql } from 'kysely';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { FileRow } from '../files/index.ts';

/** The owner's copy of a file, there or on its way; what was deleted or failed is none. */
export async function findCopy(
  db: Db,
  owner: { readonly tenantId: Key; readonly ownerId: Key },
  sourceId: Key,
): Promise<FileRow | null> {
  const row = await db
    .selectFrom('file')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('owner_id', '=', owner.ownerId)
    .where('source_file_id', '=', sourceId)
    .where(sql<boolean>`source_file_id is not null and status in (0, 1)`) // written out: only so the index is known to fit
    .executeTakeFirst();
  return row ?? null;
}
