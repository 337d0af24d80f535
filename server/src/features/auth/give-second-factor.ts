// The second step of a sign-in: the challenge of the first step, and a second factor of the account.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { SecondFactorProof } from '@recordproof/shared/api/factor-proofs.ts';
import { type Call, callAs, type Party } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import type { AccountRow } from '../accounts/index.ts';
import { notifyOwner, useSecondFactor } from '../factors/index.ts';
import { attemptFactor, findSubject } from './lockout.ts';
import { challengeExpired, endChallenge, tryChallenge } from './pending-sign-ins.ts';
import { type SignInRequest, startSession } from './start-session.ts';
import type { Session } from './tokens.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'tokens' | 'baseUrl'>;

export const callOf = (asking: SignInRequest, { tenant_id, id, username }: AccountRow): Call<Party> =>
  callAs(asking, { tenantId: tenant_id, userId: id, username });

/** Returns null if it is right, else an error, so that the count is committed. */
export async function checkSecondFactor(
  tx: Tx,
  server: Pick<Server, 'keys' | 'baseUrl'>,
  attempt: {
    readonly call: Call<Party>;
    readonly account: AccountRow;
    readonly subject: string;
    readonly proof: SecondFactorProof;
    readonly operation: string;
    readonly right: string;
  },
  now: Time,
): Promise<ApiError | null> {
  const { call, account, subject, proof, operation, right } = attempt;
  const guarded = await findSubject(tx, { subject, account }, call, now);
  const descriptions = { right, wrong: 'second factor rejected' };
  const entry = { operation, param: { factor: proof.kind } };
  const check = (inside: Tx) => useSecondFactor(inside, server, account, { call, proof, now });
  const problem = await attemptFactor(tx, call, { account, guarded, entry, descriptions, check }, now);
  if (problem === null && proof.kind === 'recovery-code')
    await notifyOwner(tx, { email: account.email, language: call.language }, 'recovery-code-used', now);
  return problem;
}

export async function giveSecondFactor(
  server: Dependencies,
  asking: SignInRequest,
  { challenge, proof }: { readonly challenge: string; readonly proof: SecondFactorProof },
): Promise<Session> {
  const { database, clock } = server;
  const outcome = await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const tried = await tryChallenge(tx, { challenge, purpose: 'second-factor', ip: asking.ip }, now);
    if (tried === null) return challengeExpired();
    const { account, pending } = tried;
    const call = callOf(asking, account);
    const { subject } = pending;
    const attempt = { call, account, subject, proof, operation: 'login', right: 'signed in with a second factor' };
    const problem = await checkSecondFactor(tx, server, attempt, now);
    if (problem !== null) return problem;
    await endChallenge(tx, pending);
    return account;
  });
  if (outcome instanceof ApiError) throw outcome;
  return startSession(server, asking, outcome);
}
