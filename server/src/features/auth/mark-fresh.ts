// Marking a session as fresh, after a factor or a sign-in at a provider.
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { lockSession } from './lock-session.ts';
import { findSuccessor, type SessionRef } from './queries.ts';
import { setAuthenticatedAt } from './session-queries.ts';

/** The current token of the session, which may have been renewed since. */
export async function findCurrentToken(tx: Tx, tokenId: string): Promise<string> {
  let current = tokenId;
  for (let next: string | null = tokenId; next !== null; next = await findSuccessor(tx, current)) current = next;
  return current;
}

/** Throws PERMISSION_TOKEN_INVALID if the session has ended. */
export async function markSessionFresh(
  tx: Tx,
  session: SessionRef & Pick<Actor, 'tenantId'>,
  authenticatedAt: Time,
): Promise<void> {
  const tokenId = await findCurrentToken(tx, session.tokenId);
  await lockSession(tx, { ...session, tokenId });
  await setAuthenticatedAt(tx, session.tenantId, tokenId, authenticatedAt);
}
