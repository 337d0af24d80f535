// All files of a tenant, for its administrators.
import { feature } from '../../platform/feature.ts';
import { adminFileRoutes } from './routes.ts';

export const adminFiles = feature({
  name: 'admin-files',
  layer: 3,
  open: server => ({ routes: adminFileRoutes(server) }),
});
