// Authentication: sign-in and sign-out, tokens, mailed codes, the first administrator.
import { feature } from '../../platform/feature.ts';
import { eraseSignIns } from './erase-sign-ins.ts';
import { type Freshness, openFreshness } from './freshness.ts';
import { authMigrations } from './migrations.ts';
import { sendMailCodeJob } from './request-mail-code.ts';
import { authRoutes } from './routes.ts';
import { sendNewDeviceJob, sendNoticeJob } from './send-notice.ts';
import { SessionUses } from './session-uses.ts';
import { sweepJob } from './sessions.ts';
import { openTokens, type Tokens } from './tokens.ts';

export { unlockAccount } from './attempts.ts';
export { openAuthenticate } from './authenticate.ts';
export { setPassword } from './change-credentials.ts';
export { endSession } from './end-session.ts';
export { freshForMs } from './freshness.ts';
export { addKnownAddress } from './known-addresses.ts';
export { lockSession } from './lock-session.ts';
export { withMailCode } from './mail-codes.ts';
export { findCurrentToken, markSessionFresh } from './mark-fresh.ts';
export { rejectOtherSites, startPersistentSession, toSessionCookie } from './persistent-sessions.ts';
export { listDeadSessions, revokeToken, type SessionRef } from './queries.ts';
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
export { type SignInRequest, signedInFromNewDevice, startSession } from './start-session.ts';
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
