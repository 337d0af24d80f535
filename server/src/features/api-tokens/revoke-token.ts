// API token revocation: from the commit on no server accepts the token, and its event streams end.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { notifySessionsEnded } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { revokeToken as revokeSession } from '../auth/index.ts';
import { toSessionId } from './authenticate.ts';
import { type ApiTokenRow, findToken, setRuleTokensRevoked, setTokenRevoked } from './queries.ts';

export const noSuchToken = (id: Key) =>
  new ApiError('NOT_FOUND', `there is no API token ${id}: list the API tokens to see their ids`);

export function revokeToken(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { userId, id }: { readonly userId: Key; readonly id: Key },
): Promise<ApiTokenRow> {
  const { tenantId } = call.actor;
  return database.db.transaction().execute(async tx => {
    const token = await findToken(tx, { tenantId, userId }, id);
    if (!token) throw noSuchToken(id);
    const now = clock.now();
    const revoked = await setTokenRevoked(tx, token, now);
    if (!revoked) return (await findToken(tx, { tenantId, userId }, id)) ?? token;
    await revokeSession(tx, { tokenId: toSessionId(id), expiresAt: revoked.expires_at, successor: null });
    await notifySessionsEnded(tx, tenantId, userId, now);
    const param = { tokenId: id, ownerId: userId };
    await recordAudit(tx, call, now, 'api-tokens.revoke', `API token "${revoked.name}" revoked`, param);
    return revoked;
  });
}

/** Revokes the tokens that jobs got under a trust rule. */
export async function revokeTokensOfRule(
  tx: Tx,
  { tenantId, userId }: { readonly tenantId: Key; readonly userId: Key },
  ruleId: Key,
  now: Time,
): Promise<void> {
  for (const { id, expires_at: expiresAt } of await setRuleTokensRevoked(tx, ruleId, now))
    await revokeSession(tx, { tokenId: toSessionId(id), expiresAt, successor: null });
  await notifySessionsEnded(tx, tenantId, userId, now);
}
