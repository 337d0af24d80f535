// Account look-up for sign-ins at a provider: by issuer and subject alone. An unconnected person may get a new account,
// or is connected by a verified address if the settings say that the provider is authoritative for its domain. Role and
// tenant are compared with the claims at each sign-in.
import type { SignInProblem } from '@recordproof/shared/api/single-sign-on.ts';
import type { SignInProvider } from '../../config/sign-in-providers.ts';
import { callAs, type Origin } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import {
  type AccountRow,
  changeRole,
  createAccount,
  findAccount,
  findAccountByEmail,
  findAccountByName,
  findTenant,
  getDefaultTenant,
  isTenantActive,
} from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { type Admission, domainOf, toUsername } from './policy.ts';
import { findIdentity, type IdentityRow, insertIdentity, markIdentityUsed } from './queries.ts';

export type Subject = { readonly issuer: string; readonly subject: string };

type SignIn = Subject & {
  readonly provider: SignInProvider;
  readonly admission: Admission;
  readonly origin: Origin;
  /** The hash of a random password, for a new account. */
  readonly unknownPassword: string;
  readonly now: Time;
};

type AccountResult = { readonly account: AccountRow } | { readonly problem: SignInProblem };

/** Serializes first sign-ins per person, so that two windows create one account. */
export const lockSubject = (tx: Tx, engine: Engine, { issuer, subject }: Subject): Promise<void> =>
  lockInTransaction(tx, engine, `sso-identity:${issuer} ${subject}`);

export async function resolveAccount(tx: Tx, engine: Engine, signIn: SignIn): Promise<AccountResult> {
  await lockSubject(tx, engine, signIn);
  const { admission } = signIn;
  const tenantId = await findTenantId(tx, admission.tenant);
  if (tenantId === null) return { problem: 'wrong-tenant' };
  const identity = await findIdentity(tx, signIn.issuer, signIn.subject);
  const found = identity ? await enterKnown(tx, signIn, identity, tenantId) : await enterNew(tx, signIn, tenantId);
  if ('problem' in found) return found;
  if (!(await isTenantActive(tx, found.account.tenant_id))) return { problem: 'suspended' };
  if (admission.role === null) return found;
  return { account: await syncRole(tx, engine, signIn, found.account, admission.role) };
}

async function findTenantId(tx: Tx, name: string | null): Promise<Key | null> {
  if (name === null) return getDefaultTenant(tx);
  return (await findTenant(tx, name))?.id ?? null;
}

/** Service accounts have no sign-in. */
const isOpen = (account: AccountRow | null): account is AccountRow =>
  account !== null && account.deleted_at === null && account.kind === 'person';

async function enterKnown(tx: Tx, signIn: SignIn, identity: IdentityRow, tenantId: Key): Promise<AccountResult> {
  const account = await findAccount(tx, identity.tenant_id, identity.user_id);
  if (!isOpen(account)) return { problem: 'no-account' };
  if (account.status !== 'ACTIVE') return { problem: 'suspended' };
  // An account never changes its tenant. Only an explicitly named tenant can differ.
  if (signIn.admission.tenant !== null && account.tenant_id !== tenantId) return { problem: 'wrong-tenant' };
  await markIdentityUsed(tx, identity, signIn.provider.id, signIn.now);
  return { account };
}

async function enterNew(tx: Tx, signIn: SignIn, tenantId: Key): Promise<AccountResult> {
  const { email } = signIn.admission;
  const { createsAccounts, linkDomains } = signIn.provider;
  const existing = email === null ? null : await findAccountByEmail(tx, email);
  if (isOpen(existing)) {
    if (!linkDomains.includes(domainOf(existing.email))) return { problem: 'email-taken' };
    if (existing.tenant_id !== tenantId) return { problem: 'wrong-tenant' };
    if (existing.status !== 'ACTIVE') return { problem: 'suspended' };
    await connect(tx, signIn, existing, { isOrigin: false, how: 'its verified address' });
    return { account: existing };
  }
  if (!createsAccounts) return { problem: 'no-account' };
  if (email === null) return { problem: 'email-unverified' };
  if (!(await isTenantActive(tx, tenantId))) return { problem: 'suspended' };
  const account = await open(tx, signIn, { tenantId, email });
  await connect(tx, signIn, account, { isOrigin: true, how: 'the first sign-in' });
  return { account };
}

async function open(
  tx: Tx,
  { admission, origin, unknownPassword: passwordHash, now }: SignIn,
  { tenantId, email }: { readonly tenantId: Key; readonly email: string },
): Promise<AccountRow> {
  const username = await findFreeName(tx, tenantId, toUsername(admission.nameHints));
  const nickname = admission.nickname ?? undefined;
  const request = { tenantId, username, email, nickname, role: admission.role ?? 'user', passwordHash } as const;
  return createAccount(tx, origin, request, now);
}

const mostNumbered = 20;

async function findFreeName(tx: Tx, tenantId: Key, name: string): Promise<string> {
  for (let number = 1; number <= mostNumbered; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if ((await findAccountByName(tx, tenantId, candidate)) === null) return candidate;
  }
  return `${name}-${randomBase62(7)}`;
}

type Connecting = { readonly isOrigin: boolean; readonly how: string };

export async function connect(
  tx: Tx,
  { issuer, subject, provider, origin, now }: Omit<SignIn, 'admission' | 'unknownPassword'>,
  account: AccountRow,
  { isOrigin, how }: Connecting,
): Promise<void> {
  const { id: userId, tenant_id: tenantId, username } = account;
  await insertIdentity(tx, {
    ...{ issuer, subject, provider: provider.id, tenant_id: tenantId, user_id: userId },
    ...{ is_origin: isOrigin ? 1 : 0, created_at: now, last_used_at: now },
  });
  const call = callAs(origin, { tenantId, userId, username });
  const text = `${username} connected with ${provider.title} by ${how}`;
  await recordAudit(tx, call, now, 'single-sign-on.connect', text, { provider: provider.id, issuer });
}

/** The provider's role is applied if it maps roles. The last administrator of a tenant keeps the role. */
async function syncRole(
  tx: Tx,
  engine: Engine,
  { origin, provider, now }: SignIn,
  account: AccountRow,
  role: AccountRow['role'],
): Promise<AccountRow> {
  if (account.role === role) return account;
  const call = callAs(origin, { tenantId: account.tenant_id, userId: account.id, username: account.username });
  const reason = `claims of ${provider.title}`;
  const changed = await changeRole(tx, engine, call, { accountId: account.id, role, reason }, now);
  return changed ?? account;
}
