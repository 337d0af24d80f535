// Sessions: logging in and out, tokens, mailed codes, the first administrator.
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Feature } from '../../platform/feature.ts';
import type { RateLimiter } from '../../platform/http/rate-limit.ts';
import type { Mail } from '../../platform/mail/mail.ts';
import { sendMailCodeJob } from './request-mail-code.ts';
import { authRoutes } from './routes.ts';
import { sweepJob } from './sessions.ts';
import type { Tokens } from './tokens.ts';

export { openAuthenticate } from './authenticate.ts';
export { setPassword } from './change-credentials.ts';
export { authMigrations } from './migrations.ts';
export { defaultTenantName, ensureConfiguredAdmin, ensureDefaultTenant, renewSetupCode } from './set-up.ts';
export { openTokens, type Tokens } from './tokens.ts';

export type AuthPorts = {
  readonly db: Db;
  readonly database: Database;
  readonly clock: Clock;
  readonly cluster: Pick<Cluster, 'hit'>;
  readonly limiter: RateLimiter;
  readonly tokens: Tokens;
  readonly pepper: KeyObject;
  readonly mail: Mail;
  readonly intervalSeconds: number;
};

export const auth = (ports: AuthPorts): Feature => ({
  name: 'auth',
  routes: authRoutes(ports),
  jobs: [sendMailCodeJob(ports), sweepJob(ports)],
  schedules: [{ name: 'auth.sweep', everySeconds: 3600, jobKind: 'auth.sweep' }],
});
