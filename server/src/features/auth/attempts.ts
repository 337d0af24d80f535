// Guessing passwords: five wrong ones lock for fifteen minutes, the name that was tried and the account behind it. What
// counts is decided in one transaction after the hash, so that tries at the same moment are worth no more than tries
// one after the other; and a name without an account is treated like one with.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, foldName, renewPasswordHash } from '../accounts/index.ts';
import { type AuditEntry, appendAudit } from '../audit/index.ts';
import { clearLoginFailures, countLoginFailure, findLoginFailure, holdLoginFailure, lockLogin } from './queries.ts';

const allowedFailures = 5;
const lockMs = 15 * 60_000;

const digestOf = (text: string): string => createHash('sha256').update(foldName(text)).digest('base64url').slice(0, 22);

/** One subject however the name was written; `tenantId` 0 stands for a tenant that does not exist. */
export const nameSubject = (tenantId: Key, username: string): string => `name:${tenantId}:${digestOf(username)}`;
export const emailSubject = (email: string): string => `email:${digestOf(email.trim())}`;
export const accountSubject = (id: Key): string => `account:${id}`;

type Attempt = {
  /** Whose lock is told: the name as it was tried. */
  readonly subject: string;
  readonly account: AccountRow | null;
  readonly password: string;
  /** Of both outcomes; what happened is added. */
  readonly entry: Pick<AuditEntry, 'operation' | 'param'>;
  readonly descriptions: { readonly right: string; readonly wrong: string };
};

/** Returns when the password is right; throws USER_LOGIN_ERROR, USER_ACCOUNT_LOCKED or USER_ACCOUNT_FORBIDDEN. */
export async function attemptPassword(
  { database, clock, passwords }: Pick<Server, 'database' | 'clock' | 'passwords'>,
  call: Call<Party>,
  attempt: Attempt,
): Promise<AccountRow> {
  const { db } = database;
  const { account, password } = attempt;
  refuseLocked(await findLoginFailure(db, attempt.subject), clock.now());
  const verdict = account
    ? await passwords.verify(password, account.password_hash)
    : { matches: await passwords.pretendToVerify(password), outdated: false };
  const renewed = verdict.matches && verdict.outdated ? await passwords.hash(password) : null;
  const judged = { ...attempt, matches: verdict.matches, renewedHash: renewed };
  const refusal = await db.transaction().execute(tx => decide(tx, call, judged, clock.now()));
  if (refusal) throw refusal;
  if (!account) throw new ApiError('USER_LOGIN_ERROR');
  return account;
}

const subjectsOf = ({ subject, account }: Attempt): string[] =>
  [...new Set(account ? [subject, accountSubject(account.id)] : [subject])].sort(); // one order everywhere: no deadlock

type Judged = Attempt & { readonly matches: boolean; readonly renewedHash: string | null };

async function decide(tx: Tx, call: Call<Party>, attempt: Judged, now: Time): Promise<ApiError | null> {
  const { account, matches, renewedHash, descriptions } = attempt;
  const entry = { module: 'auth', ...attempt.entry };
  const subjects = subjectsOf(attempt);
  const held = new Map<string, Time>();
  for (const subject of subjects) held.set(subject, (await holdLoginFailure(tx, subject, now)).locked_until ?? 0);
  const lockedUntil = Math.max(held.get(attempt.subject) ?? 0, matches ? Math.max(...held.values()) : 0);
  if (lockedUntil > now) return lockedError(lockedUntil, now);
  if (matches && account) {
    for (const subject of subjects) await clearLoginFailures(tx, subject);
    if (renewedHash !== null) await renewPasswordHash(tx, account, renewedHash);
    const isActive = account.status === 'ACTIVE';
    const outcome = isActive
      ? { description: descriptions.right }
      : { description: descriptions.wrong, errorMessage: 'suspended' };
    await appendAudit(tx, call, { ...entry, ...outcome }, now);
    return isActive ? null : new ApiError('USER_ACCOUNT_FORBIDDEN');
  }
  for (const subject of subjects) {
    const failures = await countLoginFailure(tx, subject, now);
    if (failures >= allowedFailures) await lockLogin(tx, subject, now + lockMs);
  }
  const wrong = { description: descriptions.wrong, errorMessage: 'wrong user name or password' };
  await appendAudit(tx, call, { ...entry, ...wrong }, now);
  return new ApiError('USER_LOGIN_ERROR');
}

function refuseLocked(failure: { locked_until: Time | null } | null, now: Time): void {
  const lockedUntil = failure?.locked_until ?? 0;
  if (lockedUntil > now) throw lockedError(lockedUntil, now);
}

const lockedError = (until: Time, now: Time): ApiError =>
  new ApiError('USER_ACCOUNT_LOCKED', undefined, { retryAfterSeconds: Math.ceil((until - now) / 1000) });
