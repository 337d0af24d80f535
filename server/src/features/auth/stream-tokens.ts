// Tokens that open one event stream: for browsers, which cannot send the login token with such a request, and whose
// addresses end up in logs. Good once, for half a minute; the session behind it is judged again when it is used.
import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Authenticate } from '../../platform/http/caller.ts';
import type { Platform } from '../../platform/server.ts';
import { openResume } from './authenticate.ts';
import type { Claims } from './tokens.ts';

const lifetimeSeconds = 30;

/** What is kept cannot be used as a token by whoever reads it. */
const keyOf = (token: string): string => `stream-token:${createHash('sha256').update(token).digest('base64url')}`;

export async function issueStreamToken(
  { cluster }: Pick<Platform, 'cluster'>,
  { actor }: Call,
): Promise<{ sseToken: string; expiresIn: number }> {
  const sseToken = randomBytes(32).toString('base64url');
  const { userId, tenantId, authVersion, tokenId, tokenExpiresAt } = actor;
  const claims: Claims = { userId, tenantId, authVersion, tokenId, expiresAt: tokenExpiresAt };
  await cluster.putOnce(keyOf(sseToken), JSON.stringify(claims), lifetimeSeconds * 1000);
  return { sseToken, expiresIn: lifetimeSeconds };
}

export function openRedeem({
  database,
  clock,
  cluster,
}: Pick<Platform, 'database' | 'clock' | 'cluster'>): Authenticate {
  const resume = openResume(database);
  return async token => {
    const kept = await cluster.take(keyOf(token));
    const claims = kept === null ? null : (JSON.parse(kept) as Claims);
    if (claims === null || claims.expiresAt <= clock.now()) throw new ApiError('PERMISSION_TOKEN_INVALID');
    return resume(claims);
  };
}
