// Logging in. Whether an account exists must not show: not in the answer, not in the time it takes, not in the lock.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { hashPassword, pretendToVerify, verifyPassword } from '../../platform/crypto/password-hash.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import {
  type AccountRow,
  findAccountByEmail,
  findAccountByName,
  findTenant,
  foldName,
  getDefaultTenant,
  updateAccount,
} from '../accounts/index.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { clearLoginFailures, countLoginFailure, findLoginFailure, lockLogin } from './queries.ts';
import type { Session, Tokens } from './tokens.ts';

type Ports = { readonly db: Db; readonly clock: Clock; readonly tokens: Tokens };

const allowedFailures = 5;
const lockMs = 15 * 60_000;

type Candidate = { account: AccountRow | null; tenantId: Key; subject: string };

/** `alice` (default tenant), `acme/alice`, or an e-mail address, which also tells the tenant. */
async function findCandidate(db: Db, name: string): Promise<Candidate> {
  const fallback = await getDefaultTenant(db);
  const account = await lookUp(db, name.trim(), fallback);
  const digest = createHash('sha256').update(foldName(name.trim())).digest('base64url');
  return {
    account,
    tenantId: account?.tenant_id ?? fallback,
    subject: account ? `account:${account.id}` : `name:${digest}`,
  };
}

async function lookUp(db: Db, name: string, defaultTenant: Key): Promise<AccountRow | null> {
  if (name.includes('@')) return findAccountByEmail(db, name);
  const [tenantName, username] = name.includes('/') ? (name.split('/', 2) as [string, string]) : [null, name];
  if (tenantName === null) return findAccountByName(db, defaultTenant, username);
  const tenant = await findTenant(db, tenantName);
  return tenant ? findAccountByName(db, tenant.id, username) : null;
}

export async function login(
  { db, clock, tokens }: Ports,
  body: { username: string; password: string },
  origin: Origin,
): Promise<Session> {
  const candidate = await findCandidate(db, body.username);
  await refuseLocked(db, candidate, clock.now());
  const { account } = candidate;
  const verdict = account
    ? await verifyPassword(body.password, account.password_hash)
    : await pretendToVerify(body.password);
  if (!account || !verdict?.matches) return refuse(db, candidate, body.username, origin, clock.now());
  if (account.status !== 'ACTIVE') throw new ApiError('USER_ACCOUNT_FORBIDDEN');
  const newHash = verdict.outdated ? await hashPassword(body.password) : null;
  await db.transaction().execute(async tx => {
    await clearLoginFailures(tx, candidate.subject);
    if (newHash) await updateAccount(tx, account.tenant_id, account.id, { password_hash: newHash });
    await appendAudit(tx, { ...auditOf(candidate, body.username), description: 'logged in', origin }, clock.now());
  });
  return tokens.issue(account);
}

async function refuseLocked(db: Db, { subject }: Candidate, now: number): Promise<void> {
  const failure = await findLoginFailure(db, subject);
  const lockedUntil = failure?.locked_until ?? 0;
  if (lockedUntil <= now) return;
  throw new ApiError('USER_ACCOUNT_LOCKED', undefined, { retryAfterSeconds: Math.ceil((lockedUntil - now) / 1000) });
}

async function refuse(db: Db, candidate: Candidate, name: string, origin: Origin, now: number): Promise<never> {
  await db.transaction().execute(async tx => {
    const failures = await countLoginFailure(tx, candidate.subject, now);
    if (failures >= allowedFailures) await lockLogin(tx, candidate.subject, now + lockMs);
    const entry = {
      ...auditOf(candidate, name),
      description: 'login refused',
      errorMessage: 'wrong user name or password',
      origin,
    };
    await appendAudit(tx, entry, now);
  });
  throw new ApiError('USER_LOGIN_ERROR');
}

const auditOf = ({ account, tenantId }: Candidate, name: string) => ({
  tenantId,
  who: account && { userId: account.id, username: account.username },
  module: 'auth',
  operation: 'login',
  param: { username: name.slice(0, 64) },
});
