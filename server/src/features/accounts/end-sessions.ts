// Session ends, committed with the transaction that causes them. After the commit every server is notified and
// re-checks its open streams.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import { bumpAuthVersion } from './queries.ts';
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
