// Passkey sign-in. The key is one factor, user verification by its authenticator (fingerprint, face, PIN) the other.
// Password lockouts do not apply: a passkey cannot be guessed.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { PasskeyAssertion } from '@recordproof/shared/api/factor-proofs.ts';
import { anonymousParty, callAs } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, getDefaultTenant } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { needsSecondFactor, verifyPasskey } from '../factors/index.ts';
import { callOf } from './give-second-factor.ts';
import { findSuspension } from './lockout.ts';
import { type SignInRequest, startSession } from './start-session.ts';
import type { Session } from './tokens.ts';

async function findObstacle(tx: Tx, account: AccountRow, isUserVerified: boolean, now: Time): Promise<ApiError | null> {
  const suspension = await findSuspension(tx, account);
  if (suspension !== null || isUserVerified || !(await needsSecondFactor(tx, account, now))) return suspension;
  return new ApiError(
    'PASSKEY_ERROR',
    'this account needs two factors, and the passkey did not verify you (fingerprint, face or PIN); sign in with the password, then the passkey',
  );
}

export async function signInWithPasskey(
  server: Pick<Server, 'database' | 'clock' | 'keys' | 'tokens' | 'baseUrl'>,
  asking: SignInRequest,
  credential: PasskeyAssertion,
): Promise<Session> {
  const { database, clock } = server;
  const outcome = await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const anonymousCall = callAs(asking, anonymousParty(await getDefaultTenant(tx)));
    const used = await verifyPasskey(tx, server, anonymousCall, { credential, now });
    if (used === null) return new ApiError('PASSKEY_ERROR');
    const { account, isUserVerified } = used;
    const obstacle = await findObstacle(tx, account, isUserVerified, now);
    const description = obstacle === null ? 'signed in with a passkey' : `sign-in rejected: ${obstacle.message}`;
    await recordAudit(tx, callOf(asking, account), now, 'auth.login', description, { factor: 'passkey' });
    return obstacle ?? account;
  });
  if (outcome instanceof ApiError) throw outcome;
  return startSession(server, asking, outcome);
}
