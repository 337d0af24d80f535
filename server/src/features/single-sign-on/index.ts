// Single sign-on through OpenID Connect providers, and one-time links for locked-out administrators.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { feature } from '../../platform/feature.ts';
import { singleSignOnMigrations } from './migrations.ts';
import { openProviders } from './providers.ts';
import { eraseIdentities, isOriginOf } from './queries.ts';
import { singleSignOnRoutes } from './routes.ts';
import { sweepJob, sweepJobKind } from './sessions.ts';
import { linkNoticeJob } from './sign-in-links.ts';

export { createSignInLink } from './sign-in-links.ts';

export const singleSignOn = feature({
  name: 'single-sign-on',
  layer: 0,
  migrations: singleSignOnMigrations,
  open: server => {
    const providers = openProviders(server.config.singleSignOn.providers, server);
    return {
      routes: singleSignOnRoutes({ ...server, providers }),
      jobs: [sweepJob(server), linkNoticeJob(server)],
      schedules: [{ name: sweepJobKind, everySeconds: 300, jobKind: sweepJobKind }],
      health: providers.list.length === 0 ? [] : [providers.health],
      hooks: {
        accountDeleted: (tx, { id, tenant_id: tenantId }) => eraseIdentities(tx, tenantId, id),
        passwordReset: async (tx, { id, tenant_id: tenantId }) => {
          if (await isOriginOf(tx, tenantId, id))
            throw new ApiError('FORBIDDEN', 'this account has no password: sign in through its provider');
        },
      },
    };
  },
});
