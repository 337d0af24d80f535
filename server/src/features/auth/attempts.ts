// Guessing passwords: five wrong ones lock for fifteen minutes, the name that was tried and the account behind it. What
// counts is decided in one transaction after the hash, so that tries at the same moment are worth no more than tries
// one after the other; and a name without an account is treated like one with. While a lock lasts, the right password is
// answered, timed and counted like a wrong one. An address that is known for the account has a lock of its own.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, foldName, renewPasswordHash } from '../accounts/index.ts';
import { type AuditEntry, appendAudit } from '../audit/index.ts';
import { addKnownAddress, findKnownAddress, listKnownAddresses, renewKnownAddress } from './known-addresses.ts';
import {
  clearFreeLoginFailures,
  clearLoginFailures,
  countLoginFailure,
  findLoginFailure,
  holdLoginFailure,
  lockLogin,
} from './queries.ts';

const allowedFailures = 5;
const lockMs = 15 * 60_000;

const digestOf = (text: string): string => createHash('sha256').update(foldName(text)).digest('base64url').slice(0, 22);

/** One subject however the name was written; `tenantId` 0 stands for a tenant that does not exist. */
export const nameSubject = (tenantId: Key, username: string): string => `name:${tenantId}:${digestOf(username)}`;
export const emailSubject = (email: string): string => `email:${digestOf(email.trim())}`;
export const accountSubject = (id: Key): string => `account:${id}`;

const atAddress = (subject: string, digest: string): string => `${subject}@${digest}`;

/** What failures and calls are counted by: from a known address apart from all others. */
export async function findSubject(
  db: Db,
  { subject, account }: Pick<Attempt, 'subject' | 'account'>,
  { ip }: Pick<Call<Party>, 'ip'>,
  now: Time,
): Promise<Guarded> {
  const known = await findKnownAddress(db, account, ip, now);
  const place = (plain: string): string => (known === null ? plain : atAddress(plain, known));
  return { tried: place(subject), behind: account === null ? null : place(accountSubject(account.id)), known };
}

export type Guarded = {
  /** Its lock is told: the name as it was tried. */
  readonly tried: string;
  /** The account, however it was named: its lock is not told, so that no name shows which account it means. */
  readonly behind: string | null;
  /** Digest of the address, when it is known for the account. */
  readonly known: string | null;
};

/** Ends every lock of an account, those of its known addresses as well. */
export async function unlockAccount(tx: Tx, account: AccountRow): Promise<void> {
  const { id, tenant_id, username, email } = account;
  const plain = [accountSubject(id), nameSubject(tenant_id, username), emailSubject(email)];
  const digests = await listKnownAddresses(tx, account);
  await clearFreeLoginFailures(tx, [...plain, ...digests.flatMap(digest => plain.map(one => atAddress(one, digest)))]);
}

export type Attempt = {
  /** Who is tried, as it was written. */
  readonly subject: string;
  readonly account: AccountRow | null;
  /** Where it was found already. */
  readonly guarded?: Guarded;
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
  const guarded = attempt.guarded ?? (await findSubject(db, attempt, call, clock.now()));
  refuseLocked(await findLoginFailure(db, guarded.tried), clock.now());
  const verdict = account
    ? await passwords.verify(password, account.password_hash, call.ip)
    : { matches: await passwords.pretendToVerify(password, call.ip), outdated: false };
  const judged = { ...attempt, ...guarded, matches: verdict.matches };
  const refusal = await db.transaction().execute(tx => decide(tx, call, judged, clock.now()));
  if (refusal) throw refusal;
  if (!account) throw new ApiError('USER_LOGIN_ERROR');
  if (verdict.outdated) {
    const renewed = await passwords.hash(password, call.ip); // after the decision: a lock must not take longer to tell
    await db.transaction().execute(tx => renewPasswordHash(tx, account, renewed));
  }
  return account;
}

type Judged = Attempt & Guarded & { readonly matches: boolean };

async function decide(tx: Tx, call: Call<Party>, attempt: Judged, now: Time): Promise<ApiError | null> {
  const { account, tried, behind, known, matches, descriptions } = attempt;
  const entry = { module: 'auth', ...attempt.entry };
  const subjects = [...new Set(behind === null ? [tried] : [tried, behind])].sort(); // one order everywhere: no deadlock
  const locks = new Map<string, Time>();
  for (const subject of subjects) locks.set(subject, (await holdLoginFailure(tx, subject, now)).locked_until ?? 0);
  const toldUntil = locks.get(tried) ?? 0;
  if (toldUntil > now) return lockedError(toldUntil, now);
  const open = subjects.filter(subject => (locks.get(subject) ?? 0) <= now);
  const isLocked = open.length < subjects.length;
  if (matches && account && !isLocked) {
    await clearLoginFailures(tx, subjects);
    if (known === null) await addKnownAddress(tx, account, call.ip, now);
    else await renewKnownAddress(tx, account, known, now);
    const isActive = account.status === 'ACTIVE';
    const outcome = isActive
      ? { description: descriptions.right }
      : { description: descriptions.wrong, errorMessage: 'suspended' };
    await appendAudit(tx, call, { ...entry, ...outcome }, now);
    return isActive ? null : new ApiError('USER_ACCOUNT_FORBIDDEN');
  }
  for (const subject of open) {
    const failures = await countLoginFailure(tx, subject, now);
    if (failures >= allowedFailures) await lockLogin(tx, subject, now + lockMs);
  }
  const errorMessage = isLocked ? 'the account is locked' : 'wrong user name or password';
  await appendAudit(tx, call, { ...entry, description: descriptions.wrong, errorMessage }, now);
  return new ApiError('USER_LOGIN_ERROR');
}

function refuseLocked(failure: { locked_until: Time | null } | null, now: Time): void {
  const lockedUntil = failure?.locked_until ?? 0;
  if (lockedUntil > now) throw lockedError(lockedUntil, now);
}

const lockedError = (until: Time, now: Time): ApiError =>
  new ApiError('USER_ACCOUNT_LOCKED', undefined, { retryAfterSeconds: Math.ceil((until - now) / 1000) });
