// Re-reads a tenant's audit chain from its first row and reports the first place where it does not hold.
import type { Db, Key } from '../../platform/db/tables.ts';
import { hashRow, startOfChain, toTail } from './chain.ts';

export type ChainReport = { readonly rows: number; readonly brokenAt: number | null };

const pageSize = 1000;

export async function verifyAuditChain(db: Db, tenantId: Key): Promise<ChainReport> {
  let previous = startOfChain;
  let position = 0;
  for (;;) {
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('position', '>', position)
      .orderBy('position')
      .limit(pageSize)
      .execute();
    for (const row of rows) {
      const fits =
        row.position === position + 1 &&
        row.previous_hash === previous &&
        row.hash === hashRow(previous, tenantId, row.position, toTail(row));
      if (!fits) return { rows: position, brokenAt: position + 1 };
      previous = row.hash;
      position = row.position;
    }
    if (rows.length < pageSize) break;
  }
  const head = await db.selectFrom('audit_head').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();
  const complete = head ? head.length === position && head.hash === previous : position === 0;
  return { rows: position, brokenAt: complete ? null : position + 1 };
}
