// Authentication: sign-in and sign-out, tokens, mailed codes, the first administrator.
import { feature } from '../../platform/feature.ts';
import { sendMailCodeJob } from './mail-codes.ts';
import { authMigrations } from './migrations.ts';
import { authRoutes } from './routes.ts';
import { sendNewDeviceJob, sendNoticeJob } from './send-notice.ts';
import { SessionUses } from './session-uses.ts';
import { eraseSignIns, sweepJob } from './sessions.ts';
import { type Freshness, openFreshness } from './step-up.ts';
import { openTokens, type Tokens } from './tokens.ts';

export { openAuthenticate } from './authenticate.ts';
export { setPassword } from './change-credentials.ts';
export { endSession, findCurrentToken, lockSession, markSessionFresh } from './change-session.ts';
export { addKnownAddress } from './known-addresses.ts';
export { unlockAccount } from './lockout.ts';
export { requestMailCode, withMailCode } from './mail-codes.ts';
export { findCookie, rejectOtherSites, startPersistentSession, toSessionCookie } from './persistent-sessions.ts';
export { listDeadSessions, revokeToken, type SessionRef } from './queries.ts';
export { checkInvited } from './registration.ts';
export { limitBySubject } from './routes.ts';
export {
  addFreshSetupCode,
  defaultTenantName,
  endSetup,
  ensureConfiguredAdmin,
  ensureDefaultTenant,
  hasAdministrator,
} from './set-up.ts';
export { type SignInRequest, signedInFromNewDevice, startSession } from './start-session.ts';
export { freshForMs } from './step-up.ts';
export { openRedeem } from './stream-tokens.ts';
export { openTokens, type Session } from './tokens.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Issues and checks the tokens of sessions. */
    readonly tokens: Tokens;
    /** Records the last use of each session. */
    readonly sessionUses: SessionUses;
    /** Step-up: whether a session's user gave a factor recently. */
    readonly freshness: Freshness;
  }
}

export const auth = feature({
  name: 'auth',
  layer: 0,
  migrations: authMigrations,
  provide: ({ keys, clock, config, database, log }, opening) => {
    const { tokenLifetimeSeconds } = config.accounts;
    const tokenLifetimeMs = tokenLifetimeSeconds * 1000;
    return {
      tokens: openTokens(keys.token, clock, tokenLifetimeSeconds),
      freshness: openFreshness({ database, clock }),
      sessionUses: opening.use(new SessionUses({ database, clock, log, tokenLifetimeMs })),
    };
  },
  open: server => ({
    routes: authRoutes(server),
    hooks: { accountDeleted: eraseSignIns },
    jobs: [sendMailCodeJob(server), sendNoticeJob(server), sendNewDeviceJob(server), sweepJob(server)],
    schedules: [{ name: 'auth.sweep', everySeconds: 3600, jobKind: 'auth.sweep' }],
  }),
});
