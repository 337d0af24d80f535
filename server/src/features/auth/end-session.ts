// Session end: revokes the token of a session and its successors.
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { notifySessionsEnded } from '../accounts/index.ts';
import { deletePersistentSession } from './persistent-session-queries.ts';
import { findSuccessor, revokeToken } from './queries.ts';
import { deleteSession } from './session-queries.ts';

/** Ends the token and its successors since the call came in; none of them would have been valid past `latestEnd`. */
export async function endSession(
  tx: Tx,
  actor: Pick<Actor, 'tenantId' | 'userId' | 'tokenId' | 'tokenExpiresAt'>,
  latestEnd: Time,
  now: Time,
): Promise<void> {
  const expiresAt = Math.max(latestEnd, actor.tokenExpiresAt);
  for (let tokenId: string | null = actor.tokenId; tokenId !== null; ) {
    const isOurs: boolean = await revokeToken(tx, { tokenId, expiresAt, successor: null });
    await deletePersistentSession(tx, actor.tenantId, tokenId);
    await deleteSession(tx, actor.tenantId, tokenId);
    tokenId = isOurs ? null : await findSuccessor(tx, tokenId);
  }
  await notifySessionsEnded(tx, actor.tenantId, actor.userId, now);
}
