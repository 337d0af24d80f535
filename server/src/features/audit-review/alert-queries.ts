// SQL on thresholds of the audit log and on alerts.
import type { AuditConfigKey } from '@recordproof/shared/api/audit-figures.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

export const listConfigs = (db: Db, tenantId: Key) =>
  db.selectFrom('audit_config').selectAll().where('tenant_id', '=', tenantId).execute();

export async function writeConfig(tx: Tx, tenantId: Key, key: AuditConfigKey, value: string, now: Time): Promise<void> {
  const change = { config_value: value, updated_at: now };
  await tx
    .insertInto('audit_config')
    .values({ tenant_id: tenantId, config_key: key, ...change })
    .onConflict(conflict => conflict.columns(['tenant_id', 'config_key']).doUpdateSet(change))
    .execute();
}

/** Returns whether to report it: it is new, or was quiet for long enough. Of concurrent servers, one reports it. */
export async function noteAlert(
  tx: Tx,
  alert: { readonly tenantId: Key; readonly kind: string; readonly subject: string },
  quietMs: number,
  now: Time,
): Promise<boolean> {
  const row = await tx
    .insertInto('audit_alert')
    .values({ tenant_id: alert.tenantId, kind: alert.kind, subject: alert.subject, seen_at: now, told_at: now })
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'kind', 'subject']).doUpdateSet(eb => ({
        seen_at: now,
        told_at: eb
          .case()
          .when('audit_alert.seen_at', '<', now - quietMs)
          .then(now)
          .else(eb.ref('audit_alert.told_at'))
          .end(),
      })),
    )
    .returning('told_at')
    .executeTakeFirstOrThrow();
  return row.told_at === now;
}

export const forgetAlerts = (db: Db, tenantId: Key, before: Time) =>
  db.deleteFrom('audit_alert').where('tenant_id', '=', tenantId).where('seen_at', '<', before).execute();
