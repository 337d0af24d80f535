// Support tickets between their creator and the tenant's administrators.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { ticketMigrations } from './migrations.ts';
import { ticketRoutes } from './routes.ts';

/** Referencing tables come first. */
const tenantRows = [rowsOf('ticket_attachment'), rowsOf('ticket_reply'), rowsOf('ticket'), rowsOf('ticket_day')];

export const tickets = feature({
  name: 'tickets',
  layer: 3,
  migrations: ticketMigrations,
  open: server => ({ routes: ticketRoutes(server), tenantRows }),
});
