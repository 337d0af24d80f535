// Setting up a second factor that is required, between the right password and the session: one-time codes, or a passkey
// that verifies its user. The challenge of the sign-in opens this and nothing else, and ends once the account has a factor.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type * as codesApi from '@recordproof/shared/api/one-time-codes.ts';
import type * as passkeysApi from '@recordproof/shared/api/passkeys.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import {
  finishTotp,
  listSecondFactors,
  newPasskeyOptions,
  notifyOwner,
  type Registration,
  startTotp,
  storePasskey,
  verifyRegistration,
} from '../factors/index.ts';
import { toDevice } from './device.ts';
import { callOf } from './give-second-factor.ts';
import {
  challengeDigestOf,
  challengeExpired,
  endChallenge,
  lockChallengedAccount,
  type Tried,
  tryChallenge,
} from './pending-sign-ins.ts';
import { type SignInRequest, startSession } from './start-session.ts';
import type { Session } from './tokens.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'tokens' | 'baseUrl'>;
type Enrolled = Session & { readonly recoveryCodes: string[] };

/** Null also where the account has got a factor since: the older sign-in must not add one, or replace it. */
async function tryEnrolment(tx: Tx, { ip }: SignInRequest, challenge: string, now: Time): Promise<Tried | null> {
  await lockChallengedAccount(tx, challenge);
  const tried = await tryChallenge(tx, { challenge, purpose: 'enrolment', ip }, now);
  return tried !== null && (await listSecondFactors(tx, tried.account)).length === 0 ? tried : null;
}

/** `step` begins to set up a factor. */
async function begin<T>(
  { database, clock }: Dependencies,
  asking: SignInRequest,
  challenge: string,
  step: (tx: Tx, tried: Tried, now: Time) => Promise<T>,
): Promise<T> {
  const begun = await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const tried = await tryEnrolment(tx, asking, challenge, now);
    return tried && { value: await step(tx, tried, now) };
  });
  if (begun === null) throw challengeExpired();
  return begun.value;
}

type Finished = { readonly recoveryCodes: string[] | null };

/** `step` sets the factor up; the error that it returns is thrown after the commit, so that its try counts. */
async function complete(
  server: Dependencies,
  asking: SignInRequest,
  challenge: string,
  step: (tx: Tx, tried: Tried, now: Time) => Promise<Finished | ApiError>,
): Promise<Enrolled> {
  const outcome = await server.database.db.transaction().execute(async tx => {
    const now = server.clock.now();
    const tried = await tryEnrolment(tx, asking, challenge, now);
    if (tried === null) return challengeExpired();
    const finished = await step(tx, tried, now);
    if (finished instanceof ApiError) return finished;
    const { account, pending } = tried;
    await endChallenge(tx, pending);
    await recordAudit(tx, callOf(asking, account), now, 'auth.enrol', 'second factor set up while signing in');
    return { account, recoveryCodes: finished.recoveryCodes ?? [] };
  });
  if (outcome instanceof ApiError) throw outcome;
  const { token, expiresIn } = await startSession(server, asking, outcome.account);
  return { token, expiresIn, recoveryCodes: outcome.recoveryCodes };
}

export const beginEnrolment = (
  server: Dependencies,
  asking: SignInRequest,
  challenge: string,
): Promise<codesApi.NewTotp> =>
  begin(server, asking, challenge, (tx, { account }, now) => startTotp(tx, server.keys.pepper, account, now));

export const completeEnrolment = (
  server: Dependencies,
  asking: SignInRequest,
  { challenge, code }: BodyOf<typeof codesApi.completeEnrolment>,
): Promise<Enrolled> =>
  complete(server, asking, challenge, async (tx, { account }, now) => {
    const finished = await finishTotp(tx, server.keys.pepper, account, { code, now });
    if (finished === null) return new ApiError('SECOND_FACTOR_ERROR');
    await notifyOwner(tx, { email: account.email, language: asking.language }, 'totp-added', now);
    return finished;
  });

const toRegistration = (challenge: string): Registration => ({
  purpose: `enrol ${challengeDigestOf(challenge)}`,
  mustVerifyUser: true,
});

export async function beginPasskeyEnrolment(
  server: Dependencies,
  asking: SignInRequest,
  challenge: string,
): Promise<{ options: Record<string, unknown> }> {
  const account = await begin(server, asking, challenge, async (_, tried) => tried.account);
  return newPasskeyOptions(server, account, toRegistration(challenge));
}

export async function completePasskeyEnrolment(
  server: Dependencies,
  asking: SignInRequest,
  { challenge, credential, name }: BodyOf<typeof passkeysApi.completePasskeyEnrolment>,
): Promise<Enrolled> {
  const verified = await verifyRegistration(server, credential, toRegistration(challenge));
  return complete(server, asking, challenge, async (tx, { account }, now) => {
    if (verified === null) return new ApiError('PASSKEY_ERROR');
    const named = name ?? (toDevice(asking.headers['user-agent']) || 'Passkey');
    return storePasskey(tx, server, account, { name: named, verified, now, language: asking.language });
  });
}
