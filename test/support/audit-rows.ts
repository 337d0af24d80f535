// Audit rows as tests read and change them: with their texts, which the database holds packed.
import {
  type AuditLogRow,
  packTexts,
  type StoredAuditRow,
  toAuditLogRow,
} from '../../server/src/features/audit/packed-row.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';

type Where = Partial<Pick<StoredAuditRow, 'tenant_id' | 'module' | 'operation_type' | 'username' | 'status'>>;

/** In the order in which they were written. */
export async function listAuditRows(db: Db, where: Where = {}): Promise<AuditLogRow[]> {
  let query = db.selectFrom('audit_log').selectAll().orderBy('id');
  for (const [column, value] of Object.entries(where)) query = query.where(column as keyof Where, '=', value);
  return (await query.execute()).map(toAuditLogRow);
}

/** Changes texts of a row and not its hash, as somebody would who has the database. */
export async function changeAuditTexts(
  db: Db,
  row: Pick<AuditLogRow, 'tenant_id' | 'position'>,
  changes: Partial<AuditLogRow>,
): Promise<void> {
  const rows = await listAuditRows(db, { tenant_id: row.tenant_id });
  const found = rows.find(({ position }) => position === row.position);
  if (found === undefined) throw new Error(`there is no audit row ${row.position}`);
  await db
    .updateTable('audit_log')
    .set({ packed: packTexts({ ...found, ...changes }) })
    .where('id', '=', found.id)
    .execute();
}
