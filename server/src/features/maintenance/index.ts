// Maintenance mode: the installation is read-only.
import * as api from '@recordproof/shared/api/maintenance.ts';
import type { Awaitable } from '../../platform/awaitable.ts';
import { toIso } from '../../platform/clock.ts';
import { feature } from '../../platform/feature.ts';
import { route } from '../../platform/http/route.ts';
import { maintenanceMigrations } from './migrations.ts';
import { findMaintenance, type MaintenanceRow, prepareFindMaintenance } from './queries.ts';
import { setMaintenance } from './set-maintenance.ts';

export { findMaintenance, maintenanceMessage } from './queries.ts';
export { setMaintenance } from './set-maintenance.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** The maintenance message; undefined outside maintenance mode. */
    readonly findMaintenance: () => Awaitable<{ readonly message: string } | undefined>;
  }
}

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
