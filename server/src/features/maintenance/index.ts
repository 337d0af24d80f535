// Maintenance mode: the installation is read-only.
import * as api from '@recordproof/shared/api/maintenance.ts';
import type { Awaitable } from '../../platform/awaitable.ts';
import type { Call, Party } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import { feature } from '../../platform/feature.ts';
import { route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { maintenanceMigrations } from './migrations.ts';
import {
  deleteMaintenance,
  findMaintenance,
  insertMaintenance,
  type MaintenanceRow,
  prepareFindMaintenance,
} from './queries.ts';

export { findMaintenance, maintenanceMessage } from './queries.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** The maintenance message; undefined outside maintenance mode. */
    readonly findMaintenance: () => Awaitable<{ readonly message: string } | undefined>;
  }
}

type Switch = { readonly isOn: true; readonly message: string } | { readonly isOn: false };

/** From the commit on every server rejects changes, because each request reads the row. */
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

const toView = (row: MaintenanceRow | null): api.Maintenance => ({
  isOn: row !== null,
  message: row?.message ?? null,
  since: row && toIso(row.since),
});

export const maintenance = feature({
  name: 'maintenance',
  layer: 0,
  migrations: maintenanceMigrations,
  provide: ({ database }) => ({ findMaintenance: prepareFindMaintenance(database) }),
  open: server => ({
    routes: [
      route(api.getMaintenance, async () => toView(await findMaintenance(server.database.db))),
      route(api.setMaintenance, async r => toView(await setMaintenance(server, r, r.body))),
    ],
  }),
});
