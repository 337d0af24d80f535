// Protection of installation administrators, and of the last administrator, against losing role, status or account.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { countInstallationAdmins } from './installation-queries.ts';
import { mayLoseAdmin, mayLoseInstallationAdmin, mayManage } from './policy.ts';
import { type AccountRow, countActiveAdmins } from './queries.ts';

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
