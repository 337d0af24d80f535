// SQL on rejected operations: the minute in which repetitions are counted in the row of the first.
import { sql } from 'kysely';
import { hasRow, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

type RejectionWindow = { readonly tenantId: Key; readonly subject: string; readonly position: number };

const rejectionWindowMs = 60_000;

/**
 * A minute that begins further in the future than clocks may differ was opened before the clock was set back: it is
 * over.
 */
const isRunning = (now: Time) =>
  sql<boolean>`(opened_at > ${now - rejectionWindowMs} and opened_at < ${now + rejectionWindowMs})`;
const isOver = (now: Time) => sql<boolean>`not ${isRunning(now)}`;

/** Returns false if the subject has no running minute. */
export async function addRepetitions(
  tx: Tx,
  { tenantId, subject }: Omit<RejectionWindow, 'position'>,
  times: number,
  now: Time,
): Promise<boolean> {
  const row = await tx
    .updateTable('audit_refusal')
    .set(eb => ({ repeated: eb('repeated', '+', times) }))
    .where('tenant_id', '=', tenantId)
    .where('subject', '=', subject)
    .where(isRunning(now))
    .returning(['position', 'repeated'])
    .executeTakeFirst();
  if (row === undefined) return false;
  await setRepeated(tx, tenantId, row.position, row.repeated);
  return true;
}

export const setRepeated = (tx: Tx, tenantId: Key, position: number, repeated: number): Promise<void> =>
  updateWhere(tx, 'audit_log', { tenant_id: tenantId, position }, { repeated });

export type ClosedWindow = { readonly position: number; readonly repeated: number };

/** Of one subject, or of all. */
export async function takeClosedWindows(
  tx: Tx,
  { tenantId, subject }: { readonly tenantId: Key; readonly subject?: string },
  now: Time,
): Promise<ClosedWindow[]> {
  let query = tx.deleteFrom('audit_refusal').where('tenant_id', '=', tenantId).where(isOver(now));
  if (subject !== undefined) query = query.where('subject', '=', subject);
  return query.returning(['position', 'repeated']).execute();
}

export const hasClosedWindows = (db: Db, tenantId: Key, now: Time): Promise<boolean> =>
  hasRow(
    db.selectFrom('audit_refusal').select('position').where('tenant_id', '=', tenantId).where(isOver(now)).limit(1),
  );

/** Returns false if another transaction has opened one for the subject. */
export const insertWindow = (tx: Tx, window: RejectionWindow, repeated: number, now: Time): Promise<boolean> =>
  hasRow(
    tx
      .insertInto('audit_refusal')
      .values({
        tenant_id: window.tenantId,
        subject: window.subject,
        position: window.position,
        opened_at: now,
        repeated,
      })
      .onConflict(conflict => conflict.doNothing())
      .returning('position'),
  );

type Counted = { readonly repeated: number; readonly open: number | null };

/** By position: the count in the row, and the count of a minute that is not sealed yet. Deleted rows are left out. */
export async function listRepeated(
  db: Db,
  tenantId: Key,
  positions: readonly number[],
): Promise<ReadonlyMap<number, Counted>> {
  const rows = await db
    .selectFrom('audit_log as l')
    .leftJoin('audit_refusal as w', join =>
      join.onRef('w.tenant_id', '=', 'l.tenant_id').onRef('w.position', '=', 'l.position'),
    )
    .select(['l.position', 'l.repeated', 'w.repeated as open'])
    .where('l.tenant_id', '=', tenantId)
    .where('l.position', 'in', positions)
    .execute();
  return new Map(rows.map(row => [row.position, row]));
}
