// Sign-in by name: `alice` (default tenant), `acme/alice`, or an email address, which also identifies the tenant.
// Answer, timing and lockout never reveal whether an account exists.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, callAs, type Party } from '../../platform/call.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import {
  type AccountRow,
  findAccountByEmail,
  findAccountByName,
  findTenant,
  getDefaultTenant,
} from '../accounts/index.ts';
import { type Attempt, attemptPassword, emailSubject, type Guarded, nameSubject } from './lockout.ts';
import { rejectPending } from './pending-sign-ins.ts';
import { type SignInRequest, startSession } from './start-session.ts';
import type { Session } from './tokens.ts';

type Candidate = { readonly account: AccountRow | null; readonly tenantId: Key; readonly subject: string };

/** Resolves a name in any spelling: surrounding blanks, case, with or without the tenant. */
export async function findCandidate(db: Db, written: string): Promise<Candidate> {
  const name = written.trim();
  const fallback = await getDefaultTenant(db);
  if (name.includes('@')) {
    const account = await findAccountByEmail(db, name);
    return { account, tenantId: account?.tenant_id ?? fallback, subject: emailSubject(name) };
  }
  const slash = name.indexOf('/');
  const tenant = name.slice(0, Math.max(0, slash)).trim().toLowerCase();
  const tenantId = slash < 0 ? fallback : ((await findTenant(db, tenant))?.id ?? 0);
  const username = name.slice(slash + 1).trim();
  const account = tenantId === 0 ? null : await findAccountByName(db, tenantId, username);
  // Names of tenants that do not exist are counted apart as well: otherwise a shared lock would tell which ones do.
  const subject = nameSubject(tenantId, tenantId === 0 ? `${tenant}/${username}` : username);
  return { account, tenantId: account?.tenant_id ?? fallback, subject };
}

type Login = {
  readonly candidate: Candidate;
  readonly guarded: Guarded;
  readonly username: string;
  readonly password: string;
};

export async function login(
  server: Pick<Server, 'database' | 'clock' | 'passwords' | 'tokens' | 'rejections' | 'baseUrl'>,
  asking: SignInRequest,
  { candidate, guarded, username, password }: Login,
): Promise<Session> {
  const { account, tenantId, subject } = candidate;
  const call = callAs(asking, { tenantId, userId: account?.id ?? null, username: account?.username ?? null });
  const entry = { operation: 'login', param: { username: username.slice(0, 64) } };
  const descriptions = { right: 'signed in', wrong: 'sign-in rejected' };
  const attempt = { subject, account, guarded, password, entry, descriptions };
  const proven = await attemptPassword(server, call, attempt).catch(error => rejectLogin(server, call, attempt, error));
  await rejectPending(server, asking, { account: proven, subject });
  return startSession(server, asking, proven);
}

/** Other refusals have their own row; those during a lock are counted in one, so that a lock is cheap. */
async function rejectLogin(
  { rejections }: Pick<Server, 'rejections'>,
  call: Call<Party>,
  { subject, entry, descriptions }: Pick<Attempt, 'subject' | 'entry' | 'descriptions'>,
  error: unknown,
): Promise<never> {
  if (error instanceof ApiError && error.kind === 'USER_ACCOUNT_LOCKED') {
    const row = { module: 'auth', ...entry, description: descriptions.wrong, errorMessage: error.message };
    await rejections.record({ call, entry: row, subject: `locked:${subject}` });
  }
  throw error;
}
