// Sessions: logging in and out, tokens, mailed codes, the first administrator.
import { feature } from '../../platform/feature.ts';
import { eraseSignIns } from './erase-sign-ins.ts';
import { authMigrations } from './migrations.ts';
import { sendMailCodeJob } from './request-mail-code.ts';
import { authRoutes } from './routes.ts';
import { sendNoticeJob } from './send-notice.ts';
import { sweepJob } from './sessions.ts';
import { openTokens, type Tokens } from './tokens.ts';

export { unlockAccount } from './attempts.ts';
export { openAuthenticate } from './authenticate.ts';
export { setPassword } from './change-credentials.ts';
export { addKnownAddress } from './known-addresses.ts';
export { withMailCode } from './mail-codes.ts';
export { listDeadSessions, type SessionRef } from './queries.ts';
export { checkInvited } from './registration.ts';
export { requestMailCode } from './request-mail-code.ts';
export {
  addFreshSetupCode,
  defaultTenantName,
  endSetup,
  ensureConfiguredAdmin,
  ensureDefaultTenant,
  hasAdministrator,
} from './set-up.ts';
export { openRedeem } from './stream-tokens.ts';
export { openTokens } from './tokens.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Issues and checks the tokens of sessions. */
    readonly tokens: Tokens;
  }
}

export const auth = feature({
  name: 'auth',
  floor: 0,
  migrations: authMigrations,
  provide: ({ keys, clock, config }) => ({
    tokens: openTokens(keys.token, clock, config.accounts.tokenLifetimeSeconds),
  }),
  open: server => ({
    routes: authRoutes(server),
    hooks: { accountDeleted: eraseSignIns },
    jobs: [sendMailCodeJob(server), sendNoticeJob(server), sweepJob(server)],
    schedules: [{ name: 'auth.sweep', everySeconds: 3600, jobKind: 'auth.sweep' }],
  }),
});
