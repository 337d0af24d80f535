// Step-up: gives a factor again within a session, for operations that need a fresh one. The second factor of the
// account, or its password if it has none.

import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { stepUp as contract } from '@recordproof/shared/api/factors.ts';
import type { Call } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import type { AccountRow } from '../accounts/index.ts';
import { listSecondFactors } from '../factors/index.ts';
import { accountSubject } from './attempts.ts';
import { provePassword } from './change-credentials.ts';
import { freshForMs } from './freshness.ts';
import { checkSecondFactor } from './give-second-factor.ts';
import { lockSession } from './lock-session.ts';
import { addSession, setAuthenticatedAt } from './session-queries.ts';

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
