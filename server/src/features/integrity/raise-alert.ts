// Raising an alert for the tenant's staff, once per finding, when stored bytes differ from the recorded ones: found by
// downloads or checks. Types and severities: findings.ts; decided in examine-file.ts and examine-chunks.ts. Anomalies of
// the audit log are features/audit-review/watch.ts, failing parts of the server features/monitor/watch-conditions.ts.
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Consumer } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { damageFound, type FoundDamage } from '../downloads/index.ts';
import { notify } from '../events/index.ts';
import { findFile } from '../files/index.ts';
import { type Finding, severityOf } from './findings.ts';
import { insertAlert } from './queries.ts';
import { listSeenSharers } from './resolve-alerts.ts';

const staff = { kind: 'roles', roles: ['admin', 'monitor'] } as const;

export const alertOfDamage = ({ clock }: Pick<Server, 'clock'>): Consumer => ({
  name: 'integrity-alerts',
  types: [damageFound],
  handle: async (tx, damages) => {
    for (const { tenantId, payload } of damages) {
      if (tenantId === null) continue;
      const { fileId, alertType, ...evidence } = payload as FoundDamage;
      const now = clock.now();
      await raiseAlert(tx, localCall('a reader met damage', tenantId, now), fileId, { alertType, evidence }, now);
    }
  },
});

/** Does nothing if the finding is open already, or the bytes of the file were purged meanwhile. */
export async function raiseAlert(
  tx: Tx,
  call: Call<Party>,
  fileId: Key,
  { alertType, evidence, actualHash, chainHash }: Finding,
  now: Time,
): Promise<void> {
  const { tenantId } = call.actor;
  const file = await findFile(tx, tenantId, fileId);
  if (file === null || file.objects_released_at !== null) return;
  const severity = severityOf(alertType);
  const alert = {
    tenant_id: tenantId,
    file_id: fileId,
    alert_type: alertType,
    severity,
    evidence: JSON.stringify(evidence),
    actual_hash: actualHash ?? null,
    chain_hash: chainHash ?? null,
    seen_sharers: await listSeenSharers(tx, file),
  };
  const id = await insertAlert(tx, alert, now);
  if (id === null) return; // already alerted
  await recordAudit(tx, call, now, 'integrity.raise-alert', `${alertType} of file ${file.file_hash}`, {
    alertId: id,
    fileId,
    alertType,
    severity,
  });
  const payload = {
    alertId: String(id),
    fileId: String(fileId),
    fileName: file.file_name,
    alertType,
    severity,
    evidence,
    ...(actualHash !== undefined && { actualHash }),
    ...(chainHash !== undefined && { chainHash }),
  };
  await notify(tx, { tenantId, to: staff, type: 'INTEGRITY_ALERT', payload }, now);
}
