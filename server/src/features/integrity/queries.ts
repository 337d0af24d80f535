// All SQL on integrity alerts.
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

type NewAlert = {
  readonly tenantId: Key;
  readonly fileId: Key;
  readonly alertType: string;
  readonly severity: 'WARNING' | 'ERROR' | 'CRITICAL';
  readonly evidence: Readonly<Record<string, unknown>>;
};

/** Null where the same was found before and is not resolved yet. */
export async function insertAlert(tx: Tx, alert: NewAlert, now: Time): Promise<Key | null> {
  const row = await tx
    .insertInto('integrity_alert')
    .values({
      tenant_id: alert.tenantId,
      file_id: alert.fileId,
      alert_type: alert.alertType,
      severity: alert.severity,
      status: 'PENDING',
      evidence: JSON.stringify(alert.evidence),
      actual_hash: null,
      chain_hash: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Of all tenants; what befell files whose bytes are given up by now is nobody's concern any more. */
export async function countUnresolved(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('integrity_alert')
    .innerJoin('file', 'file.id', 'integrity_alert.file_id')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('integrity_alert.status', '<>', 'RESOLVED')
    .where('file.objects_released_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
