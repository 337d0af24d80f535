// Support tickets: between whoever opened one and the administrators of the tenant, and nobody else.
import type { Feature } from '../../platform/feature.ts';
import type { TicketPorts } from './ports.ts';
import { ticketRoutes } from './routes.ts';

export { ticketMigrations } from './migrations.ts';

export const tickets = (ports: TicketPorts): Feature => ({ name: 'tickets', routes: ticketRoutes(ports) });
