// Announcements: written and published by administrators, read by all users of the tenant.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { publishScheduled } from './change-announcements.ts';
import { announcementMigrations } from './migrations.ts';
import { announcementRoutes } from './routes.ts';

/** Referencing tables come first. */
const tenantRows = [rowsOf('announcement_read', { by: 'announcement_id', of: 'announcement' }), rowsOf('announcement')];

export const announcements = feature({
  name: 'announcements',
  layer: 3,
  migrations: announcementMigrations,
  open: server => ({ routes: announcementRoutes(server), jobs: [publishScheduled(server)], tenantRows }),
});
