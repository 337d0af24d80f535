// Tenants of the installation, for its administrators: list, create, suspend, reactivate, delete.
import { feature } from '../../platform/feature.ts';
import { deletionJob, recheckJob, recheckJobKind } from './deletion-job.ts';
import { tenantRoutes } from './routes.ts';

export { changeStatus, deleteTenant } from './change-tenant.ts';

export const tenants = feature({
  name: 'tenants',
  layer: 4,
  open: server => ({
    routes: tenantRoutes(server),
    jobs: [deletionJob(server), recheckJob(server)],
    schedules: [{ name: recheckJobKind, everySeconds: 3600, jobKind: recheckJobKind }],
  }),
});
