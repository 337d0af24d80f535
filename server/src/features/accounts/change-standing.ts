// Administrators change the role or the status of an account of their tenant; its sessions end with the change.
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { endAllSessions } from './end-sessions.ts';
import { mayLoseAdmin } from './policy.ts';
import { type AccountRow, countActiveAdmins, findAccount, updateAccount } from './queries.ts';

type Standing = { readonly role: Role } | { readonly status: AccountStatus };

type StandingChange = {
  readonly accountId: Key;
  readonly change: Standing;
  readonly reason: string | undefined;
};

export function changeStanding(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { accountId, change, reason }: StandingChange,
): Promise<AccountRow> {
  const { tenantId } = call.actor;
  return database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, `account-standing:${tenantId}`);
    const account = await findAccount(tx, tenantId, accountId);
    if (!account || account.deleted_at !== null) throw new ApiError('USER_NOT_EXIST');
    const [field, from, to] =
      'role' in change
        ? (['role', account.role, change.role] as const)
        : (['status', account.status, change.status] as const);
    if (from === to) return account;
    const refusal = mayLoseAdmin(account, await countActiveAdmins(tx, tenantId));
    if (refusal) throw new ApiError('CONFLICT', refusal);
    await endAllSessions(tx, tenantId, accountId, clock.now());
    const changed = await updateAccount(tx, tenantId, accountId, change);
    await recordAudit(
      tx,
      call,
      clock.now(),
      `accounts.change-${field}`,
      `${field} of ${account.username} changed from ${from} to ${to}`,
      { accountId, from, to, reason: reason ?? null },
    );
    return changed;
  });
}
