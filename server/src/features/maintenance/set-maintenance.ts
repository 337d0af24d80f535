// Switching maintenance mode. From the commit on every server rejects changes, because each request reads the row.
import type { Call, Party } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { deleteMaintenance, findMaintenance, insertMaintenance, type MaintenanceRow } from './queries.ts';

type Switch = { readonly isOn: true; readonly message: string } | { readonly isOn: false };

export const setMaintenance = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
  change: Switch,
): Promise<MaintenanceRow | null> =>
  database.db.transaction().execute(async tx => {
    const now = clock.now();
    if (change.isOn) {
      await insertMaintenance(tx, change.message, now);
      await recordAudit(tx, call, now, 'maintenance.on', 'maintenance mode switched on', { message: change.message });
    } else if (await deleteMaintenance(tx)) {
      await recordAudit(tx, call, now, 'maintenance.off', 'maintenance mode switched off');
    }
    return findMaintenance(tx);
  });
