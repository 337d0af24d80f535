// Drop links: anonymous uploads into a folder of the owner, with a signed receipt for each file.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { rebaseLabels } from '../folders/index.ts';
import { maintenanceJob, maintenanceJobKind } from './maintain-drop-links.ts';
import { dropLinkMigrations } from './migrations.ts';
import { deleteLinks, listLinkIds } from './queries.ts';
import { dropLinkRoutes } from './routes.ts';

export { type Entered, findEntrance } from './enter-link.ts';
export { toInfo } from './views.ts';

export const dropLinks = feature({
  name: 'drop-links',
  layer: 4,
  migrations: dropLinkMigrations,
  open: server => ({
    routes: dropLinkRoutes(server),
    jobs: [maintenanceJob(server)],
    schedules: [{ name: maintenanceJobKind, everySeconds: 30, jobKind: maintenanceJobKind }],
    tenantRows: [rowsOf('drop_arrival'), rowsOf('drop_sender'), rowsOf('drop_link')],
    hooks: {
      folderMoved: (tx, owner, move) => rebaseLabels(tx, owner, move, { table: 'drop_link', column: 'path' }),
      accountDeleted: async (tx, { tenant_id: tenantId, id: ownerId }) => {
        await deleteLinks(tx, await listLinkIds(tx, { tenantId, ownerId }));
      },
    },
  }),
});
