// Invitations to open an account: created and revoked by administrators, accepted once.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { purgeInvitations, purgeSchedule, sendInvitationJob } from './jobs.ts';
import { invitationMigrations } from './migrations.ts';
import { eraseInvitedAddress } from './queries.ts';
import { invitationRoutes } from './routes.ts';

export { invite } from './change-invitations.ts';

export const invitations = feature({
  name: 'invitations',
  layer: 0,
  migrations: invitationMigrations,
  open: server => ({
    routes: invitationRoutes(server),
    jobs: [sendInvitationJob(server), purgeInvitations(server)],
    schedules: [purgeSchedule],
    tenantRows: [rowsOf('invitation')],
    hooks: { accountDeleted: (tx, { id }) => eraseInvitedAddress(tx, id) },
  }),
});
