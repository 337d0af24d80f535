// Announcements: written and published by administrators, read by everybody of the tenant.
import { feature } from '../../platform/feature.ts';
import { announcementMigrations } from './migrations.ts';
import { publishScheduled } from './publish-announcement.ts';
import { announcementRoutes } from './routes.ts';

export const announcements = feature({
  name: 'announcements',
  floor: 3,
  migrations: announcementMigrations,
  open: server => ({ routes: announcementRoutes(server), jobs: [publishScheduled(server)] }),
});
