// Re-reads a tenant's audit chain from its first row, or from where it was cut, and reports the first place where it does
// not hold.
import type { Db, Key } from '../../platform/db/tables.ts';
import { fits } from './chain.ts';
import { type Anchor, findAnchor } from './cut-chain.ts';

export type ChainReport = { readonly rows: number; readonly brokenAt: number | null };

const pageSize = 1000;

export async function verifyAuditChain(db: Db, tenantId: Key): Promise<ChainReport> {
  const anchor = await findAnchor(db, tenantId);
  const report = await verifyBehind(db, tenantId, anchor);
  if (report.brokenAt === null || (await findAnchor(db, tenantId)).position === anchor.position) return report;
  return verifyAuditChain(db, tenantId); // it was cut while it was read
}

async function verifyBehind(db: Db, tenantId: Key, anchor: Anchor): Promise<ChainReport> {
  let { position, hash: previous } = anchor;
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
      if (!fits({ position, hash: previous }, tenantId, row))
        return { rows: position - anchor.position, brokenAt: position + 1 };
      previous = row.hash;
      position = row.position;
    }
    if (rows.length < pageSize) break;
  }
  const head = await db.selectFrom('audit_head').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();
  const complete = head ? head.length === position && head.hash === previous : position === 0;
  return { rows: position - anchor.position, brokenAt: complete ? null : position + 1 };
}
