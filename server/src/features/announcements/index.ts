// Announcements: written and published by administrators, read by everybody of the tenant.
import type { Feature } from '../../platform/feature.ts';
import type { AnnouncementPorts } from './ports.ts';
import { publishScheduled } from './publish-announcement.ts';
import { announcementRoutes } from './routes.ts';

export { announcementMigrations } from './migrations.ts';

export const announcements = (ports: AnnouncementPorts): Feature => ({
  name: 'announcements',
  routes: announcementRoutes(ports),
  jobs: [publishScheduled(ports)],
});
