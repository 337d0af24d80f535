// Role and status changes of accounts by a tenant administrator. The account's sessions end with the change.
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Call, Party } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { endAllSessions } from './end-sessions.ts';
import { mayLoseAdmin } from './policy.ts';
import { type AccountRow, countActiveAdmins, findAccount, updateAccount } from './queries.ts';
import { getAccount, rejectChange } from './reject-change.ts';

type Standing = { readonly role: Role } | { readonly status: AccountStatus };

type StandingChange = {
  readonly accountId: Key;
  readonly change: Standing;
  readonly reason: string | undefined;
};

export const changeStanding = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { accountId, change, reason }: StandingChange,
): Promise<AccountRow> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    await lockInTransaction(tx, database.kind, `account-standing:${tenantId}`);
    const account = await getAccount(tx, tenantId, accountId);
    const isSame = 'role' in change ? account.role === change.role : account.status === change.status;
    if (isSame) return account;
    await rejectChange(tx, call, account);
    return apply(tx, call, account, { change, reason: reason ?? null }, clock.now());
  });

type Applied = { readonly change: Standing; readonly reason: string | null };

async function apply(
  tx: Tx,
  call: Call<Party>,
  { id: accountId, tenant_id: tenantId, ...account }: AccountRow,
  { change, reason }: Applied,
  now: Time,
): Promise<AccountRow> {
  const [field, from, to] =
    'role' in change
      ? (['role', account.role, change.role] as const)
      : (['status', account.status, change.status] as const);
  await endAllSessions(tx, tenantId, accountId, now);
  const lost = 'role' in change ? { installation_admin: 0 } : {};
  const changed = await updateAccount(tx, tenantId, accountId, { ...change, ...lost });
  const description = `${field} of ${account.username} changed from ${from} to ${to}`;
  await recordAudit(tx, call, now, `accounts.change-${field}`, description, { accountId, from, to, reason });
  return changed;
}

type RoleChange = { readonly accountId: Key; readonly role: Role; readonly reason: string };

/**
 * Runs in a transaction of the caller, as a sign-in through a provider does. Returns null if the change is not allowed:
 * the last administrator of a tenant and those of the installation keep role and status.
 */
export async function changeRole(
  tx: Tx,
  engine: Engine,
  call: Call<Party>,
  { accountId, role, reason }: RoleChange,
  now: Time,
): Promise<AccountRow | null> {
  const { tenantId } = call.actor;
  await lockInTransaction(tx, engine, `account-standing:${tenantId}`);
  const account = await findAccount(tx, tenantId, accountId);
  if (!account || account.role === role) return account;
  const keeps =
    account.installation_admin === 1 || mayLoseAdmin(account, await countActiveAdmins(tx, tenantId)) !== null;
  if (!keeps) return apply(tx, call, account, { change: { role }, reason }, now);
  const param = { accountId, from: account.role, to: role, reason };
  await recordAudit(tx, call, now, 'accounts.change-role', `${account.username} stays an administrator`, param);
  return null;
}
