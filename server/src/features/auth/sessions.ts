// Ending and renewing sessions.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { endAllSessions, findAccount, tellSessionsEnded } from '../accounts/index.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { revokeToken, sweepExpired } from './queries.ts';
import type { Session, Tokens } from './tokens.ts';

type Ports = { readonly db: Db; readonly clock: Clock; readonly tokens: Tokens };

const auditOf = (actor: Actor, operation: string, description: string, origin: Origin) => ({
  tenantId: actor.tenantId,
  who: actor,
  module: 'auth',
  operation,
  description,
  origin,
});

async function endToken(tx: Tx, actor: Actor, now: Time): Promise<void> {
  await revokeToken(tx, actor.tokenId, actor.tokenExpiresAt);
  await tellSessionsEnded(tx, actor.tenantId, actor.userId, now);
}

export async function logout({ db, clock }: Ports, actor: Actor, everywhere: boolean, origin: Origin): Promise<null> {
  await db.transaction().execute(async tx => {
    const now = clock.now();
    await endToken(tx, actor, now);
    if (everywhere) await endAllSessions(tx, actor.tenantId, actor.userId, now);
    const description = everywhere ? 'logged out everywhere' : 'logged out';
    await appendAudit(tx, auditOf(actor, 'logout', description, origin), now);
  });
  return null;
}

export async function refreshToken({ db, clock, tokens }: Ports, actor: Actor, origin: Origin): Promise<Session> {
  const account = await db.transaction().execute(async tx => {
    const now = clock.now();
    await endToken(tx, actor, now);
    await appendAudit(tx, auditOf(actor, 'refresh-token', 'session renewed', origin), now);
    return findAccount(tx, actor.tenantId, actor.userId);
  });
  if (!account) throw new ApiError('PERMISSION_TOKEN_INVALID');
  return tokens.issue(account);
}

const failuresKeptMs = 24 * 3600_000;

export const sweepJob = ({ db, clock }: Pick<Ports, 'db' | 'clock'>): JobHandler => ({
  kind: 'auth.sweep',
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: () => 60,
  run: async () => {
    await db.transaction().execute(tx => sweepExpired(tx, clock.now(), clock.now() - failuresKeptMs));
  },
});
