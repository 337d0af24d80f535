// API tokens: secrets with which programs act on behalf of an account, within limits.
import { feature } from '../../platform/feature.ts';
import { type ApiTokens, openApiTokens } from './authenticate.ts';
import { LastUses } from './last-uses.ts';
import { apiTokenMigrations } from './migrations.ts';
import { deleteTokensOf } from './queries.ts';
import { apiTokenRoutes } from './routes.ts';
import { warningJob, watchJob, watchKind } from './warn-of-end.ts';
import { WrongAddresses } from './wrong-addresses.ts';

export { hasApiTokenPrefix } from './authenticate.ts';
export { addToken } from './create-token.ts';
export { findBadLimit, isAdministrative } from './policy.ts';
export { revokeTokensOfRule } from './revoke-token.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Checks API tokens. */
    readonly apiTokens: ApiTokens;
  }
}

export const apiTokens = feature({
  name: 'api-tokens',
  layer: 0,
  migrations: apiTokenMigrations,
  provide: (platform, opening) => {
    const uses = opening.use(new LastUses(platform));
    const wrongAddresses = opening.use(new WrongAddresses(platform));
    return { apiTokens: openApiTokens(platform, { uses, wrongAddresses }) };
  },
  open: server => ({
    routes: apiTokenRoutes(server),
    jobs: [watchJob(server), warningJob(server)],
    schedules: [{ name: watchKind, everySeconds: 3600, jobKind: watchKind }],
    hooks: {
      accountDeleted: (tx, { tenant_id, id }) => deleteTokensOf(tx, { tenantId: tenant_id, userId: id }),
    },
  }),
});
