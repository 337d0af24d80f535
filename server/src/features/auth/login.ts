// Logging in: `alice` (default tenant), `acme/alice`, or an e-mail address, which also tells the tenant. Whether an
// account exists must not show: not in the answer, not in the time it takes, not in the lock.
import type { Clock } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import {
  type AccountRow,
  findAccountByEmail,
  findAccountByName,
  findTenant,
  getDefaultTenant,
} from '../accounts/index.ts';
import type { Origin } from '../audit/index.ts';
import { attemptPassword, emailSubject, nameSubject } from './attempts.ts';
import type { Session, Tokens } from './tokens.ts';

type Ports = { readonly db: Db; readonly clock: Clock; readonly tokens: Tokens };

export type Candidate = { readonly account: AccountRow | null; readonly tenantId: Key; readonly subject: string };

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

type Request = {
  readonly candidate: Candidate;
  readonly username: string;
  readonly password: string;
  readonly origin: Origin;
};

export async function login(
  { db, clock, tokens }: Ports,
  { candidate, username, password, origin }: Request,
): Promise<Session> {
  const { account, tenantId, subject } = candidate;
  const who = account && { userId: account.id, username: account.username };
  const audit = {
    tenantId,
    who,
    module: 'auth',
    operation: 'login',
    param: { username: username.slice(0, 64) },
    origin,
  };
  const descriptions = { right: 'logged in', wrong: 'login refused' };
  return tokens.issue(await attemptPassword({ db, clock }, { subject, account, password, audit, descriptions }));
}
