// Single-use tokens that open one event stream: browsers cannot send the login token with such a request, and URLs end
// up in logs. Valid for half a minute; the session is checked again on use.
import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Awaitable } from '../../platform/awaitable.ts';
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Authenticate, Caller } from '../../platform/http/caller.ts';
import type { Platform } from '../../platform/server.ts';
import { openResume } from './authenticate.ts';
import type { TokenClaims } from './tokens.ts';

const lifetimeSeconds = 30;

/** A stream opened with an API token carries the limits of that token. */
type Kept = TokenClaims & { readonly apiTokenId?: Key };

/** Stored as a digest, so that read access to the store does not yield a token. */
const keyOf = (token: string): string => `stream-token:${createHash('sha256').update(token).digest('base64url')}`;

export async function issueStreamToken(
  { cluster }: Pick<Platform, 'cluster'>,
  { actor }: Call,
): Promise<{ sseToken: string; expiresIn: number }> {
  const sseToken = randomBytes(32).toString('base64url');
  const { userId, tenantId, authVersion, tokenId, tokenExpiresAt, authenticatedAt, apiToken } = actor;
  const claims: TokenClaims = {
    userId,
    tenantId,
    authVersion,
    tokenId,
    expiresAt: tokenExpiresAt,
    authenticatedAt: authenticatedAt ?? 0,
  };
  const kept: Kept = apiToken === undefined ? claims : { ...claims, apiTokenId: apiToken.id };
  await cluster.putOnce(keyOf(sseToken), JSON.stringify(kept), lifetimeSeconds * 1000);
  return { sseToken, expiresIn: lifetimeSeconds };
}

export function openRedeem(
  { database, clock, cluster }: Pick<Platform, 'database' | 'clock' | 'cluster'>,
  resumeApiToken: (id: Key, ip: string) => Awaitable<Caller>,
): Authenticate {
  const resume = openResume(database);
  return async (token, ip) => {
    const text = await cluster.take(keyOf(token));
    const kept = text === null ? null : (JSON.parse(text) as Kept);
    if (kept === null || kept.expiresAt <= clock.now()) throw new ApiError('PERMISSION_TOKEN_INVALID');
    return kept.apiTokenId === undefined ? resume(kept) : resumeApiToken(kept.apiTokenId, ip);
  };
}
