// Step-up authentication: some operations need a factor given within the last ten minutes. The token holds the time of
// the sign-in; a later factor, the second one of the account or its password if it has none, is in the session's row.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { stepUp as contract } from '@recordproof/shared/api/factors.ts';
import { type Awaitable, andThen } from '../../platform/awaitable.ts';
import type { Call } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Platform, Server } from '../../platform/server.ts';
import type { AccountRow } from '../accounts/index.ts';
import { listSecondFactors } from '../factors/index.ts';
import { provePassword } from './change-credentials.ts';
import { lockSession } from './change-session.ts';
import { checkSecondFactor } from './give-second-factor.ts';
import { accountSubject } from './lockout.ts';
import { addSession, findAuthenticatedAt, isByProvider, setAuthenticatedAt } from './session-queries.ts';

export const freshForMs = 10 * 60_000;

export type Freshness = {
  /** Throws STEP_UP_REQUIRED with the accepted factors. API tokens gave theirs when they were created. */
  rejectStale(actor: Actor): Awaitable<void>;
};

export function openFreshness({ database, clock }: Pick<Platform, 'database' | 'clock'>): Freshness {
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

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'passwords' | 'baseUrl'>;
type StepUpCall = Call & Pick<Request, 'headers'>;

const operation = 'step-up';

async function markFresh(tx: Tx, { actor, ip, headers }: StepUpCall, account: AccountRow, now: Time): Promise<void> {
  const { tenantId, tokenId, tokenExpiresAt } = actor;
  if (await setAuthenticatedAt(tx, tenantId, tokenId, now)) return;
  await addSession(tx, account, {
    tokenId,
    expiresAt: tokenExpiresAt,
    address: ip,
    usedAt: now,
    authenticatedAt: now,
    headers,
  });
}

export async function stepUp(
  server: Dependencies,
  call: StepUpCall,
  proof: BodyOf<typeof contract>['proof'],
): Promise<{ freshUntil: string }> {
  const { database, clock } = server;
  const { tenantId, userId } = call.actor;
  if (proof.kind === 'password') {
    const factors = await listSecondFactors(database.db, { id: userId, tenant_id: tenantId });
    if (factors.length > 0)
      throw new ApiError('SECOND_FACTOR_ERROR', 'this account has a second factor; use it instead of the password');
    await provePassword(server, call, { password: proof.password, operation });
  }
  const now = clock.now();
  const problem = await database.db.transaction().execute(async tx => {
    const account = await lockSession(tx, call.actor);
    if (proof.kind !== 'password') {
      const subject = accountSubject(userId);
      const attempt = { call, account, subject, proof, operation, right: 'second factor given again' };
      const wrong = await checkSecondFactor(tx, server, attempt, now);
      if (wrong !== null) return wrong;
    }
    await markFresh(tx, call, account, now);
    return null;
  });
  if (problem !== null) throw problem;
  return { freshUntil: toIso(now + freshForMs) };
}
