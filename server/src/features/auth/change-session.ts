// Changes of a session: a renewed token, a new password or address, a fresh factor, its end. Row locks decide: of a
// concurrent refresh, logout, new password and suspension, each sees the ones before. Lock order: the account before its
// tokens.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type AccountRow, notifySessionsEnded } from '../accounts/index.ts';
import { mustEnrol } from '../factors/index.ts';
import { findSuccessor, listDeadSessions, lockAccount, revokeToken, type SessionRef } from './queries.ts';
import {
  deletePersistentSession,
  deleteSession,
  isByProvider,
  movePersistentSession,
  moveSession,
  setAuthenticatedAt,
} from './session-queries.ts';
import type { Tokens } from './tokens.ts';

/** The account of a valid session, locked until the transaction ends. Throws PERMISSION_TOKEN_INVALID. */
export async function lockSession(tx: Tx, actor: SessionRef & Pick<Actor, 'tenantId'>): Promise<AccountRow> {
  const account = await lockAccount(tx, actor);
  if (account === null || (await listDeadSessions(tx, [actor])).length > 0)
    throw new ApiError('PERMISSION_TOKEN_INVALID');
  return account;
}

/**
 * A session is not renewed beyond the grace period for a second factor: the next sign-in requires enrolment. Sign-ins
 * by an identity provider use the provider's own factors.
 */
export async function rejectUnenrolled(tx: Tx, account: AccountRow, tokenId: string, now: Time): Promise<void> {
  if (!(await mustEnrol(tx, account, now)) || (await isByProvider(tx, account.tenant_id, tokenId))) return;
  throw new ApiError('PERMISSION_TOKEN_INVALID');
}

/** From the commit on the successor is the only valid token of this session. Throws PERMISSION_TOKEN_INVALID. */
export async function replaceToken(
  tx: Tx,
  actor: Actor,
  successor: { readonly tokenId: string; readonly expiresAt: Time },
  now: Time,
): Promise<AccountRow> {
  const account = await lockSession(tx, actor);
  const isOurs = await revokeToken(tx, {
    tokenId: actor.tokenId,
    expiresAt: actor.tokenExpiresAt,
    successor: successor.tokenId,
  });
  if (!isOurs) throw new ApiError('PERMISSION_TOKEN_INVALID');
  await movePersistentSession(tx, actor.tenantId, actor.tokenId, successor.tokenId);
  await moveSession(tx, actor, { ...successor, lastUsedAt: now });
  await notifySessionsEnded(tx, actor.tenantId, actor.userId, now);
  return account;
}

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

type Ending = Pick<Actor, 'tenantId' | 'userId' | 'tokenId'> & { readonly tokenExpiresAt?: Time };

/** Ends the token and its successors since the call came in. Revocations last as long as a token issued now. */
export async function endSession(
  tx: Tx,
  { lifetimeSeconds }: Pick<Tokens, 'lifetimeSeconds'>,
  actor: Ending,
  now: Time,
): Promise<void> {
  const expiresAt = Math.max(now + lifetimeSeconds * 1000, actor.tokenExpiresAt ?? 0);
  for (let tokenId: string | null = actor.tokenId; tokenId !== null; ) {
    const isOurs: boolean = await revokeToken(tx, { tokenId, expiresAt, successor: null });
    await deletePersistentSession(tx, actor.tenantId, tokenId);
    await deleteSession(tx, actor.tenantId, tokenId);
    tokenId = isOurs ? null : await findSuccessor(tx, tokenId);
  }
  await notifySessionsEnded(tx, actor.tenantId, actor.userId, now);
}
