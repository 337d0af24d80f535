// The one place that decides whether a session still lives when something is made from it: a token in its place, a new
// password, a new address. Rows decide: of a refresh, a logout, a new password and a suspension at the same moment, each
// sees what the one before it did. Whoever holds several of them takes the account before its tokens.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type AccountRow, tellSessionsEnded } from '../accounts/index.ts';
import { deleteKeptSession, moveKeptSession } from './kept-session-queries.ts';
import { findSuccessor, holdAccount, listDeadSessions, revokeToken, type SessionRef } from './queries.ts';

/** The account of a session that lives, held until the transaction ends. Throws PERMISSION_TOKEN_INVALID. */
export async function holdSession(tx: Tx, actor: SessionRef & Pick<Actor, 'tenantId'>): Promise<AccountRow> {
  const account = await holdAccount(tx, actor);
  if (account === null || (await listDeadSessions(tx, [actor])).length > 0)
    throw new ApiError('PERMISSION_TOKEN_INVALID');
  return account;
}

/** From the commit on the successor is the token of this session, and no other is. Throws PERMISSION_TOKEN_INVALID. */
export async function replaceToken(tx: Tx, actor: Actor, successor: string, now: Time): Promise<AccountRow> {
  const account = await holdSession(tx, actor);
  const isOurs = await revokeToken(tx, { tokenId: actor.tokenId, expiresAt: actor.tokenExpiresAt, successor });
  if (!isOurs) throw new ApiError('PERMISSION_TOKEN_INVALID');
  await moveKeptSession(tx, actor.tenantId, actor.tokenId, successor);
  await tellSessionsEnded(tx, actor.tenantId, actor.userId, now);
  return account;
}

/** Ends the token, and whatever took its place since the call came in; none of them would have lived beyond `latestEnd`. */
export async function endSession(
  tx: Tx,
  actor: Pick<Actor, 'tenantId' | 'userId' | 'tokenId' | 'tokenExpiresAt'>,
  latestEnd: Time,
  now: Time,
): Promise<void> {
  const expiresAt = Math.max(latestEnd, actor.tokenExpiresAt);
  for (let tokenId: string | null = actor.tokenId; tokenId !== null; ) {
    const isOurs: boolean = await revokeToken(tx, { tokenId, expiresAt, successor: null });
    await deleteKeptSession(tx, actor.tenantId, tokenId);
    tokenId = isOurs ? null : await findSuccessor(tx, tokenId);
  }
  await tellSessionsEnded(tx, actor.tenantId, actor.userId, now);
}
