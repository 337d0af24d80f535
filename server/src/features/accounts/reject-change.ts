// Look-up of an account that is to be changed. Protection of installation administrators, and of the last administrator,
// against losing role, status or account.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Db, Key, Tx } from '../../platform/db/tables.ts';
import { countInstallationAdmins } from './installation-queries.ts';
import { mayLoseAdmin, mayLoseInstallationAdmin, mayManage } from './policy.ts';
import { type AccountRow, countActiveAdmins, findAccount } from './queries.ts';

/** Throws USER_NOT_EXIST for a deleted one as well. */
export async function getAccount(db: Db, tenantId: Key, id: Key): Promise<AccountRow> {
  const account = await findAccount(db, tenantId, id);
  if (!account || account.deleted_at !== null) throw new ApiError('USER_NOT_EXIST');
  return account;
}

/** Throws FORBIDDEN for an administrator of the installation, unless the caller is one. */
export function rejectUnmanageable({ actor }: Call, account: AccountRow): void {
  const forbidden = mayManage(actor, account);
  if (forbidden) throw new ApiError('FORBIDDEN', forbidden);
}

/** Requires the tenant's standings locked in this transaction. Throws FORBIDDEN or CONFLICT. */
export async function rejectChange(tx: Tx, call: Call, account: AccountRow): Promise<void> {
  rejectUnmanageable(call, account);
  const conflict =
    mayLoseAdmin(account, await countActiveAdmins(tx, account.tenant_id)) ??
    mayLoseInstallationAdmin(account, await countInstallationAdmins(tx));
  if (conflict) throw new ApiError('CONFLICT', conflict);
}
