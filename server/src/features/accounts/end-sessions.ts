// Session ends, committed with the transaction that causes them. After the commit every server is notified and
// re-checks its open streams.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { bumpAuthVersion, findAccount } from './queries.ts';
import { rejectUnmanageable } from './reject-change.ts';
import { bumpAuthVersions } from './tenant-queries.ts';

/** Payload `{userId}`: some or all sessions of that account have ended; with null, those of the whole tenant. */
export const sessionsEnded = 'sessions.ended';

export async function notifySessionsEnded(tx: Tx, tenantId: Key, userId: Key | null, now: Time): Promise<void> {
  await emit(tx, { type: sessionsEnded, tenantId, payload: { userId } }, now);
}

/** Invalidates all tokens of the account. Returns the version of tokens issued from now on. */
export async function endAllSessions(tx: Tx, tenantId: Key, userId: Key, now: Time): Promise<number> {
  await notifySessionsEnded(tx, tenantId, userId, now);
  return bumpAuthVersion(tx, tenantId, userId);
}

/** Invalidates all tokens of the tenant. */
export async function endSessionsOfTenant(tx: Tx, tenantId: Key, now: Time): Promise<void> {
  await notifySessionsEnded(tx, tenantId, null, now);
  await bumpAuthVersions(tx, tenantId);
}

/** By an administrator, for example after a device is lost. The account itself is unchanged. */
export const endUserSessions = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  accountId: Key,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    const account = await findAccount(tx, tenantId, accountId);
    if (!account) throw new ApiError('USER_NOT_EXIST');
    rejectUnmanageable(call, account);
    await endAllSessions(tx, tenantId, accountId, clock.now());
    const description = `sessions of ${account.username} ended by an administrator`;
    await recordAudit(tx, call, clock.now(), 'accounts.end-sessions', description, { accountId });
  });
