// Step-up authentication: some operations need a factor given within the last ten minutes. The token holds the time of
// the sign-in; a later factor is in the session's row.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Awaitable, andThen } from '../../platform/awaitable.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { listSecondFactors } from '../factors/index.ts';
import { findAuthenticatedAt, isByProvider } from './session-queries.ts';

export const freshForMs = 10 * 60_000;

export type Freshness = {
  /** Throws STEP_UP_REQUIRED with the accepted factors. API tokens gave theirs when they were created. */
  rejectStale(actor: Actor): Awaitable<void>;
};

export function openFreshness({
  database,
  clock,
}: {
  readonly database: Pick<Database, 'db'>;
  readonly clock: Clock;
}): Freshness {
  const isFresh = (authenticatedAt: number): boolean => clock.now() - authenticatedAt < freshForMs;

  /** An account created through a provider has no known password. */
  async function listProofs({ tenantId, userId, tokenId }: Actor): Promise<string[]> {
    const factors = await listSecondFactors(database.db, { id: userId, tenant_id: tenantId });
    if (await isByProvider(database.db, tenantId, tokenId)) return [...factors, 'provider'];
    return factors.length > 0 ? factors : ['password'];
  }

  async function reject(actor: Actor): Promise<never> {
    const detail = { factors: await listProofs(actor), maxAgeSeconds: freshForMs / 1000 };
    throw new ApiError('STEP_UP_REQUIRED', undefined, { detail });
  }

  return {
    rejectStale(actor) {
      if (actor.authenticatedAt === null || isFresh(actor.authenticatedAt)) return;
      return andThen(findAuthenticatedAt(database.db, actor.tenantId, actor.tokenId), authenticatedAt =>
        isFresh(authenticatedAt) ? undefined : reject(actor),
      );
    },
  };
}
