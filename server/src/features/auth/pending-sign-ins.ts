// Pending sign-ins, between password and session: credentials → pending (second factor, or enrolment) → session. A
// challenge identifies a pending one: random, stored as a digest, for one purpose, one account and one address, with
// few attempts and a short lifetime. Errors do not say what is wrong with a challenge.
import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { SecondFactor } from '@recordproof/shared/api/factor-proofs.ts';
import type { PendingSignIn } from '@recordproof/shared/api/factors.ts';
import type { Selectable } from 'kysely';
import type { Origin } from '../../platform/call.ts';
import { deleteWhere, insertInto, selectWhere } from '../../platform/db/rows.ts';
import type { Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccount } from '../accounts/index.ts';
import { findRelyingParty, listSecondFactors, lockFactors, mustEnrol } from '../factors/index.ts';
import { addressDigestOf } from './known-addresses.ts';
import { findSuspension } from './lockout.ts';

type Purpose = 'second-factor' | 'enrolment';
type PendingRow = Selectable<Tables['pending_sign_in']>;

const lifetimeSeconds: Readonly<Record<Purpose, number>> = { 'second-factor': 5 * 60, enrolment: 15 * 60 };
/** Nothing can be guessed while a factor is set up; a person may cancel and try again. */
const tries: Readonly<Record<Purpose, number>> = { 'second-factor': 5, enrolment: 20 };

export const challengeDigestOf = (challenge: string): string =>
  createHash('sha256').update(challenge).digest('base64url');

type Proven = { readonly account: AccountRow; readonly subject: string };

/** Returns if the password is sufficient; otherwise throws an error with a challenge. */
export async function rejectPending(
  { database, clock, baseUrl }: Pick<Server, 'database' | 'clock' | 'baseUrl'>,
  { ip }: Pick<Origin, 'ip'>,
  { account, subject }: Proven,
): Promise<void> {
  const pending = await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const factors = await listSecondFactors(tx, account);
    if (factors.length === 0 && !(await mustEnrol(tx, account, now))) return null;
    const purpose: Purpose = factors.length > 0 ? 'second-factor' : 'enrolment';
    const challenge = randomBytes(32).toString('base64url');
    const expiresIn = lifetimeSeconds[purpose];
    await insertInto(tx, 'pending_sign_in', {
      challenge_digest: challengeDigestOf(challenge),
      purpose,
      tenant_id: account.tenant_id,
      user_id: account.id,
      auth_version: account.auth_version,
      subject,
      address_digest: addressDigestOf(account, ip),
      tries_left: tries[purpose],
      created_at: now,
      expires_at: now + expiresIn * 1000,
    });
    const offered = purpose === 'enrolment' ? listFactorsToSetUp(baseUrl()) : factors;
    const detail: PendingSignIn = { challenge, factors: offered, expiresIn };
    return { purpose, detail };
  });
  if (pending === null) return;
  const kind = pending.purpose === 'enrolment' ? 'SECOND_FACTOR_ENROLMENT' : 'SECOND_FACTOR_REQUIRED';
  throw new ApiError(kind, undefined, { detail: pending.detail });
}

const listFactorsToSetUp = (baseUrl: string): SecondFactor[] =>
  findRelyingParty(baseUrl) === null ? ['totp'] : ['totp', 'passkey'];

export const challengeExpired = (): ApiError => new ApiError('CHALLENGE_EXPIRED');

/** Call before `tryChallenge` if factors of the account are changed. Lock order: the account, then the challenge. */
export async function lockChallengedAccount(tx: Tx, challenge: string): Promise<void> {
  const pending = await selectWhere(tx, 'pending_sign_in', { challenge_digest: challengeDigestOf(challenge) })
    .select(['tenant_id', 'user_id'])
    .executeTakeFirst();
  if (pending !== undefined) await lockFactors(tx, { id: pending.user_id, tenant_id: pending.tenant_id });
}

type ChallengeInput = { readonly challenge: string; readonly purpose: Purpose; readonly ip: string };

export type Tried = { readonly pending: PendingRow; readonly account: AccountRow };

/** Uses up one try. Null for a challenge that is wrong, used up, of another purpose, or given from another address. */
export async function tryChallenge(
  tx: Tx,
  { challenge, purpose, ip }: ChallengeInput,
  now: Time,
): Promise<Tried | null> {
  const pending = await tx
    .updateTable('pending_sign_in')
    .set(eb => ({ tries_left: eb('tries_left', '-', 1) }))
    .where('challenge_digest', '=', challengeDigestOf(challenge))
    .where('purpose', '=', purpose)
    .where('tries_left', '>', 0)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  if (pending === undefined) return null;
  const account = await findAccount(tx, pending.tenant_id, pending.user_id);
  const isSame =
    account !== null &&
    account.auth_version === pending.auth_version &&
    pending.address_digest === addressDigestOf(account, ip);
  return isSame && (await findSuspension(tx, account)) === null ? { pending, account } : null;
}

export const endChallenge = (tx: Tx, { id }: PendingRow): Promise<void> => deleteWhere(tx, 'pending_sign_in', { id });
