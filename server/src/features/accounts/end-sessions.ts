// Sessions end with the transaction that says so. What is held open for them, on whatever server, hears of it after the
// commit and looks again.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import { bumpAuthVersion } from './queries.ts';

/** Payload `{userId}`: some or all sessions of that account are over. */
export const sessionsEnded = 'sessions.ended';

export async function tellSessionsEnded(tx: Tx, tenantId: Key, userId: Key, now: Time): Promise<void> {
  await emit(tx, { type: sessionsEnded, tenantId, payload: { userId } }, now);
}

/** Every token made so far is dead. Returns the version of those that are made from now on. */
export async function endAllSessions(tx: Tx, tenantId: Key, userId: Key, now: Time): Promise<number> {
  await tellSessionsEnded(tx, tenantId, userId, now);
  return bumpAuthVersion(tx, tenantId, userId);
}
