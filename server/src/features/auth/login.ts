// Logging in: `alice` (default tenant), `acme/alice`, or an e-mail address, which also tells the tenant. Whether an
// account exists must not show: not in the answer, not in the time it takes, not in the lock.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, callAs, type Origin, type Party } from '../../platform/call.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import {
  type AccountRow,
  findAccountByEmail,
  findAccountByName,
  findTenant,
  getDefaultTenant,
} from '../accounts/index.ts';
import { type Attempt, attemptPassword, emailSubject, type Guarded, nameSubject } from './attempts.ts';
import type { Session } from './tokens.ts';

type Candidate = { readonly account: AccountRow | null; readonly tenantId: Key; readonly subject: string };

/** Whom a name means, however it is written: with blanks around it, in other letters' case, with the tenant or without. */
export async function findCandidate(db: Db, written: string): Promise<Candidate> {
  const name = written.trim();
  const fallback = await getDefaultTenant(db);
  if (name.includes('@')) {
    const account = await findAccountByEmail(db, name);
    return { account, tenantId: account?.tenant_id ?? fallback, subject: emailSubject(name) };
  }
  const slash = name.indexOf('/');
  const tenantId = slash < 0 ? fallback : ((await findTenant(db, name.slice(0, slash).trim().toLowerCase()))?.id ?? 0);
  const username = name.slice(slash + 1).trim();
  const account = tenantId === 0 ? null : await findAccountByName(db, tenantId, username);
  return { account, tenantId: account?.tenant_id ?? fallback, subject: nameSubject(tenantId, username) };
}

type Login = {
  readonly candidate: Candidate;
  readonly guarded: Guarded;
  readonly username: string;
  readonly password: string;
};

export async function login(
  server: Pick<Server, 'database' | 'clock' | 'passwords' | 'tokens' | 'refusals'>,
  origin: Origin,
  { candidate, guarded, username, password }: Login,
): Promise<Session> {
  const { account, tenantId, subject } = candidate;
  const call = callAs(origin, { tenantId, userId: account?.id ?? null, username: account?.username ?? null });
  const entry = { operation: 'login', param: { username: username.slice(0, 64) } };
  const descriptions = { right: 'logged in', wrong: 'login refused' };
  const attempt = { subject, account, guarded, password, entry, descriptions };
  return server.tokens.issue(
    await attemptPassword(server, call, attempt).catch(error => refuseLogin(server, call, attempt, error)),
  );
}

/** Other refusals have their row already; those of a lock are counted in one, so that a lock costs little. */
async function refuseLogin(
  { refusals }: Pick<Server, 'refusals'>,
  call: Call<Party>,
  { subject, entry, descriptions }: Pick<Attempt, 'subject' | 'entry' | 'descriptions'>,
  error: unknown,
): Promise<never> {
  if (error instanceof ApiError && error.kind === 'USER_ACCOUNT_LOCKED') {
    const row = { module: 'auth', ...entry, description: descriptions.wrong, errorMessage: error.message };
    await refusals.record({ call, entry: row, subject: `locked:${subject}` });
  }
  throw error;
}
