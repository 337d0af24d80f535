// Sessions: logging in and out, tokens, mailed codes, the first administrator.
import type { Feature } from '../../platform/feature.ts';
import type { AuthPorts } from './ports.ts';
import { sendMailCodeJob } from './request-mail-code.ts';
import { authRoutes } from './routes.ts';
import { sendNoticeJob } from './send-notice.ts';
import { sweepJob } from './sessions.ts';

export { openAuthenticate } from './authenticate.ts';
export { setPassword } from './change-credentials.ts';
export { authMigrations } from './migrations.ts';
export type { AuthPorts } from './ports.ts';
export { listDeadSessions, type SessionRef } from './queries.ts';
export {
  addFreshSetupCode,
  defaultTenantName,
  endSetup,
  ensureConfiguredAdmin,
  ensureDefaultTenant,
  hasAdministrator,
} from './set-up.ts';
export { openRedeem } from './stream-tokens.ts';
export { openTokens, type Tokens } from './tokens.ts';

export const auth = (ports: AuthPorts): Feature => ({
  name: 'auth',
  routes: authRoutes(ports),
  jobs: [sendMailCodeJob(ports), sendNoticeJob(ports), sweepJob(ports)],
  schedules: [{ name: 'auth.sweep', everySeconds: 3600, jobKind: 'auth.sweep' }],
});
