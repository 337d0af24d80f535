// Audit chain verification: re-reads a tenant's chain from its first row, or from its cut, and reports the first broken
// position.
import { sql } from 'kysely';
import { integer } from '../../platform/db/claim.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { type Anchor, findAnchor, findAuditHead } from './chain-ends.ts';
import { fits } from './hash-chain.ts';
import { toAuditLogRow } from './packed-row.ts';
import { Seals } from './seals.ts';

export type ChainReport = { readonly rows: number; readonly brokenAt: number | null };

const pageSize = 1000;

const mostReadings = 3;

export async function verifyAuditChain(db: Db, tenantId: Key, reading = 1): Promise<ChainReport> {
  const anchor = await findAnchor(db, tenantId);
  const head = await findAuditHead(db, tenantId);
  const report = await verifyBehind(db, tenantId, anchor);
  if (report.brokenAt === null) return report;
  const wasCut = (await findAnchor(db, tenantId)).position !== anchor.position;
  const hasGrown = (await findAuditHead(db, tenantId)).position !== head.position; // possibly with a seal
  if (wasCut) return verifyAuditChain(db, tenantId, reading);
  return hasGrown && reading < mostReadings ? verifyAuditChain(db, tenantId, reading + 1) : report;
}

async function verifyBehind(db: Db, tenantId: Key, anchor: Anchor): Promise<ChainReport> {
  let { position, hash: previous } = anchor;
  const seals = new Seals();
  for (;;) {
    const rows = await selectWhere(db, 'audit_log', { tenant_id: tenantId })
      .selectAll()
      .where('position', '>', position)
      .orderBy('position')
      .limit(pageSize)
      .execute();
    for (const row of rows.map(toAuditLogRow)) {
      if (!fits({ position, hash: previous }, tenantId, row))
        return { rows: position - anchor.position, brokenAt: position + 1 };
      seals.add(row);
      previous = row.hash;
      position = row.position;
    }
    if (rows.length < pageSize) break;
  }
  const head = await findAuditHead(db, tenantId);
  const complete = head.position === position && head.hash === previous;
  const brokenAt = complete ? await seals.findBroken(db, tenantId, anchor.position) : position + 1;
  return { rows: position - anchor.position, brokenAt };
}

/**
 * Rows are dated at the start of their operation, so those of long operations may be slightly older than the row
 * before.
 */
const longestActMs = 60_000;

/** Counts rows that are older than the one before by more than an operation takes: a clock was set back. */
export async function findAuditTimeSteps(db: Db, tenantId: Key): Promise<{ count: number; first: number | null }> {
  const { rows } = await sql<{ count: number; first: number | null }>`
    select count(*) as count, min(position) as first from (
      select position, operation_time - lag(operation_time) over (order by position) as step
      from audit_log where tenant_id = ${tenantId}
    ) as steps where step < ${integer(-longestActMs)}`.execute(db);
  const { count, first } = rows[0] ?? { count: 0, first: null };
  return { count: Number(count), first: first === null ? null : Number(first) };
}
