// Tells the staff of a tenant, once, that what is stored of a file is not what was recorded.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Consumer } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import { notify } from '../events/index.ts';
import { damageFound, type FoundDamage, findFile } from '../files/index.ts';
import { insertAlert } from './queries.ts';

const staff = { kind: 'roles', roles: ['admin', 'monitor'] } as const;

export const alertOfDamage = ({ clock }: Pick<Server, 'clock'>): Consumer => ({
  name: 'integrity-alerts',
  types: [damageFound],
  handle: async (tx, damages) => {
    for (const { tenantId, payload } of damages) {
      if (tenantId !== null) await raiseAlert(tx, tenantId, payload as FoundDamage, clock.now());
    }
  },
});

async function raiseAlert(tx: Tx, tenantId: Key, damage: FoundDamage, now: Time): Promise<void> {
  const { fileId, alertType, ...evidence } = damage;
  const file = await findFile(tx, tenantId, fileId);
  if (file === null) return;
  const severity = 'CRITICAL';
  const id = await insertAlert(tx, { tenantId, fileId, alertType, severity, evidence }, now);
  if (id === null) return; // they know
  const named = { alertId: String(id), fileId: String(fileId), fileName: file.file_name };
  await notify(
    tx,
    { tenantId, to: staff, type: 'INTEGRITY_ALERT', payload: { ...named, alertType, severity, evidence } },
    now,
  );
}
