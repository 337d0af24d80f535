// Tokens that open one event stream: for browsers, which cannot send the login token with such a request, and whose
// addresses end up in logs. Good once, for half a minute; the session behind it is judged again when it is used.
import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Actor, Authenticate } from '../../platform/http/caller.ts';
import { openResume } from './authenticate.ts';
import type { Claims } from './tokens.ts';

const lifetimeSeconds = 30;

/** What is kept cannot be used as a token by whoever reads it. */
const keyOf = (token: string): string => `stream-token:${createHash('sha256').update(token).digest('base64url')}`;

export async function issueStreamToken(
  cluster: Pick<Cluster, 'putOnce'>,
  { userId, tenantId, authVersion, tokenId, tokenExpiresAt }: Actor,
): Promise<{ sseToken: string; expiresIn: number }> {
  const sseToken = randomBytes(32).toString('base64url');
  const claims: Claims = { userId, tenantId, authVersion, tokenId, expiresAt: tokenExpiresAt };
  await cluster.putOnce(keyOf(sseToken), JSON.stringify(claims), lifetimeSeconds * 1000);
  return { sseToken, expiresIn: lifetimeSeconds };
}

type Ports = {
  readonly database: Pick<Database, 'db' | 'prepareFirst'>;
  readonly clock: Clock;
  readonly cluster: Pick<Cluster, 'take'>;
};

export function openRedeem({ database, clock, cluster }: Ports): Authenticate {
  const resume = openResume(database);
  return async token => {
    const kept = await cluster.take(keyOf(token));
    const claims = kept === null ? null : (JSON.parse(kept) as Claims);
    if (claims === null || claims.expiresAt <= clock.now()) throw new ApiError('PERMISSION_TOKEN_INVALID');
    return resume(claims);
  };
}
