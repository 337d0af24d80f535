// Lockout after wrong passwords: five lock the tried name and its account for fifteen minutes. The count is decided in
// one transaction after hashing, so that concurrent attempts count like sequential ones; a name without an account
// behaves like one with. During a lock the right password gets the same answer, timing and count as a wrong one. A
// known address of the account has a lock of its own.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, foldName, isTenantActive, renewPasswordHash } from '../accounts/index.ts';
import { type AuditEntry, appendAudit } from '../audit/index.ts';
import { listSecondFactors } from '../factors/index.ts';
import { addKnownAddress, findKnownAddress, listKnownAddresses, renewKnownAddress } from './known-addresses.ts';
import {
  clearFreeLoginFailures,
  clearLoginFailures,
  countLoginFailure,
  findLoginFailure,
  lockLogin,
  lockLoginFailure,
} from './queries.ts';

const allowedFailures = 5;
const lockMs = 15 * 60_000;

const digestOf = (text: string): string => createHash('sha256').update(foldName(text)).digest('base64url').slice(0, 22);

/** One subject for all spellings of a name; `tenantId` 0 is a tenant that does not exist. */
export const nameSubject = (tenantId: Key, username: string): string => `name:${tenantId}:${digestOf(username)}`;
export const emailSubject = (email: string): string => `email:${digestOf(email.trim())}`;
export const accountSubject = (id: Key): string => `account:${id}`;
/** Wrong second factors, which no new password clears. */
const factorSubject = (id: Key): string => `factor:${id}`;

const atAddress = (subject: string, digest: string): string => `${subject}@${digest}`;

/** The subject by which failures and calls are counted; a known address has its own. */
export async function findSubject(
  db: Db,
  { subject, account }: Pick<Attempt, 'subject' | 'account'>,
  { ip }: Pick<Call<Party>, 'ip'>,
  now: Time,
): Promise<Guarded> {
  const knownAddress = await findKnownAddress(db, account, ip, now);
  const toSubject = (plain: string): string => (knownAddress === null ? plain : atAddress(plain, knownAddress));
  return {
    tried: toSubject(subject),
    behind: account === null ? null : toSubject(accountSubject(account.id)),
    factor: account === null ? null : toSubject(factorSubject(account.id)),
    knownAddress,
  };
}

export type Guarded = {
  /** The name as it was tried; its lock is reported. */
  readonly tried: string;
  /** The account under any of its names; its lock is not reported, so that no name reveals its account. */
  readonly behind: string | null;
  /** The second factors of the account. */
  readonly factor: string | null;
  /** Digest of the address, if it is known for the account. */
  readonly knownAddress: string | null;
};

/** Removes every lock of an account, including those of its known addresses. */
export const unlockAccount = async (tx: Tx, account: AccountRow): Promise<void> =>
  unlock(tx, account, [...listPasswordSubjects(account), factorSubject(account.id)]);

/** Removes the locks after wrong passwords only. */
export const unlockPassword = async (tx: Tx, account: AccountRow): Promise<void> =>
  unlock(tx, account, listPasswordSubjects(account));

const listPasswordSubjects = ({ id, tenant_id, username, email }: AccountRow): string[] => [
  accountSubject(id),
  nameSubject(tenant_id, username),
  emailSubject(email),
];

async function unlock(tx: Tx, account: AccountRow, plain: readonly string[]): Promise<void> {
  const digests = await listKnownAddresses(tx, account);
  await clearFreeLoginFailures(tx, [...plain, ...digests.flatMap(digest => plain.map(one => atAddress(one, digest)))]);
}

export type Attempt = {
  /** The name as it was written. */
  readonly subject: string;
  readonly account: AccountRow | null;
  /** The subjects, if already looked up. */
  readonly guarded?: Guarded;
  readonly password: string;
  /** Common to both outcomes; the outcome is added. */
  readonly entry: Pick<AuditEntry, 'operation' | 'param'>;
  readonly descriptions: { readonly right: string; readonly wrong: string };
};

/** Returns if the password is right; throws USER_LOGIN_ERROR, USER_ACCOUNT_LOCKED or USER_ACCOUNT_FORBIDDEN. */
export async function attemptPassword(
  { database, clock, passwords }: Pick<Server, 'database' | 'clock' | 'passwords'>,
  call: Call<Party>,
  attempt: Attempt,
): Promise<AccountRow> {
  const { db } = database;
  const { account, password } = attempt;
  const guarded = attempt.guarded ?? (await findSubject(db, attempt, call, clock.now()));
  rejectLocked(await findLoginFailure(db, guarded.tried), clock.now());
  const verdict = account
    ? await passwords.verify(password, account.password_hash, call.ip)
    : { matches: await passwords.pretendToVerify(password, call.ip), outdated: false };
  const checked = { ...attempt, ...guarded, matches: verdict.matches };
  const rejection = await db.transaction().execute(tx => decide(tx, call, checked, clock.now()));
  if (rejection) throw rejection;
  if (!account) throw new ApiError('USER_LOGIN_ERROR');
  if (verdict.outdated) {
    const renewed = await passwords.hash(password, call.ip); // after the decision: equal timing under a lock
    await db.transaction().execute(tx => renewPasswordHash(tx, account, renewed));
  }
  return account;
}

type CheckedAttempt = Attempt & Guarded & { readonly matches: boolean };

/** In one lock order: no deadlocks. */
const toSubjects = (all: readonly (string | null)[]): string[] => [
  ...new Set(all.filter(subject => subject !== null).sort()),
];

async function decide(tx: Tx, call: Call<Party>, attempt: CheckedAttempt, now: Time): Promise<ApiError | null> {
  const { account, tried, behind, knownAddress, matches, descriptions } = attempt;
  const entry = { module: 'auth', ...attempt.entry };
  const subjects = toSubjects([tried, behind]);
  const locks = new Map<string, Time>();
  for (const subject of subjects) locks.set(subject, (await lockLoginFailure(tx, subject, now)).locked_until ?? 0);
  const reportedUntil = locks.get(tried) ?? 0;
  if (reportedUntil > now) return lockedError(reportedUntil, now);
  const open = subjects.filter(subject => (locks.get(subject) ?? 0) <= now);
  const isLocked = open.length < subjects.length;
  if (matches && account && !isLocked) {
    // Otherwise giving the password in between would reset the count of second-factor guesses.
    if ((await listSecondFactors(tx, account)).length === 0)
      await forgetFailures(tx, { account, knownAddress, subjects, ip: call.ip, now });
    const rejection = await findSuspension(tx, account);
    const outcome =
      rejection === null
        ? { description: descriptions.right }
        : { description: descriptions.wrong, errorMessage: 'suspended' };
    await appendAudit(tx, call, { ...entry, ...outcome }, now);
    return rejection;
  }
  await countFailures(tx, open, now);
  const errorMessage = isLocked ? 'the account is locked' : 'wrong user name or password';
  await appendAudit(tx, call, { ...entry, description: descriptions.wrong, errorMessage }, now);
  return new ApiError('USER_LOGIN_ERROR');
}

type Proven = Pick<Guarded, 'knownAddress'> & {
  readonly account: AccountRow;
  readonly subjects: readonly string[];
  readonly ip: string;
  readonly now: Time;
};

/** After a complete sign-in: clears the failures and remembers the address. */
async function forgetFailures(tx: Tx, { account, knownAddress, subjects, ip, now }: Proven): Promise<void> {
  await clearLoginFailures(tx, subjects);
  if (knownAddress === null) await addKnownAddress(tx, account, ip, now);
  else await renewKnownAddress(tx, account, knownAddress, now);
}

async function countFailures(tx: Tx, subjects: readonly string[], now: Time): Promise<void> {
  for (const subject of subjects) {
    const failures = await countLoginFailure(tx, subject, now);
    if (failures >= allowedFailures) await lockLogin(tx, subject, now + lockMs);
  }
}

type FactorAttempt = {
  readonly account: AccountRow;
  readonly guarded: Guarded;
  readonly entry: Pick<AuditEntry, 'operation' | 'param'>;
  readonly descriptions: Attempt['descriptions'];
  /** Consumes the proof if it is right. */
  readonly check: (tx: Tx) => Promise<boolean>;
};

/**
 * Checks a second factor; failures count with those of the password. Returns null if it is right; an error is returned,
 * not thrown, so that the count is committed.
 */
export async function attemptFactor(
  tx: Tx,
  call: Call<Party>,
  { account, guarded, entry, descriptions, check }: FactorAttempt,
  now: Time,
): Promise<ApiError | null> {
  const { tried, behind, factor, knownAddress } = guarded;
  const subjects = toSubjects([tried, behind, factor]);
  let lockedUntil = 0;
  for (const subject of subjects)
    lockedUntil = Math.max(lockedUntil, (await lockLoginFailure(tx, subject, now)).locked_until ?? 0);
  if (lockedUntil > now) return lockedError(lockedUntil, now);
  const isRight = await check(tx);
  if (isRight) await forgetFailures(tx, { account, knownAddress, subjects, ip: call.ip, now });
  else await countFailures(tx, subjects, now);
  const outcome = isRight
    ? { description: descriptions.right }
    : { description: descriptions.wrong, errorMessage: 'wrong second factor' };
  await appendAudit(tx, call, { module: 'auth', ...entry, ...outcome }, now);
  return isRight ? null : new ApiError('SECOND_FACTOR_ERROR');
}

/** Reported only after the right password. */
export async function findSuspension(tx: Tx, { status, tenant_id }: AccountRow): Promise<ApiError | null> {
  if (status !== 'ACTIVE') return new ApiError('USER_ACCOUNT_FORBIDDEN');
  if (await isTenantActive(tx, tenant_id)) return null;
  return new ApiError('USER_ACCOUNT_FORBIDDEN', 'the tenant of this account is suspended');
}

function rejectLocked(failure: { locked_until: Time | null } | null, now: Time): void {
  const lockedUntil = failure?.locked_until ?? 0;
  if (lockedUntil > now) throw lockedError(lockedUntil, now);
}

const lockedError = (until: Time, now: Time): ApiError =>
  new ApiError('USER_ACCOUNT_LOCKED', undefined, { retryAfterSeconds: Math.ceil((until - now) / 1000) });
