// Granting and revoking the role of installation administrator for an administrator of the first tenant; at least one
// remains.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call, Party } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { countInstallationAdmins, setInstallationAdmin } from './installation-queries.ts';
import { mayBeInstallationAdmin, mayLoseInstallationAdmin } from './policy.ts';
import { getAccount } from './reject-change.ts';
import { getDefaultTenant } from './tenant-queries.ts';

type Change = { readonly accountId: Key; readonly isGranted: boolean };

/** Returns false when nothing changed. The account is one of the first tenant, as is the caller. */
export const changeInstallationAdmin = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
  { accountId, isGranted }: Change,
): Promise<boolean> =>
  database.db.transaction().execute(async tx => {
    const tenantId = await getDefaultTenant(tx);
    await lockInTransaction(tx, database.kind, `account-standing:${tenantId}`);
    const account = await getAccount(tx, tenantId, accountId);
    if ((account.installation_admin === 1) === isGranted) return false;
    const rejection = isGranted
      ? mayBeInstallationAdmin(account)
      : mayLoseInstallationAdmin(account, await countInstallationAdmins(tx));
    if (rejection) throw new ApiError('CONFLICT', rejection);
    await setInstallationAdmin(tx, tenantId, accountId, isGranted);
    const [operation, done] = isGranted ? (['grant', 'granted to'] as const) : (['revoke', 'revoked from'] as const);
    const description = `administration of the installation ${done} ${account.username}`;
    await recordAudit(tx, call, clock.now(), `accounts.${operation}-installation`, description, { accountId });
    return true;
  });
