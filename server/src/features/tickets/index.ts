// Support tickets: between whoever opened one and the administrators of the tenant, and nobody else.
import { feature } from '../../platform/feature.ts';
import { ticketMigrations } from './migrations.ts';
import { ticketRoutes } from './routes.ts';

export const tickets = feature({
  name: 'tickets',
  floor: 3,
  migrations: ticketMigrations,
  open: server => ({ routes: ticketRoutes(server) }),
});
