// Second-factor administration: removing lost factors of an account, and requiring factors for roles.
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { FactorRequirement } from '@recordproof/shared/api/user-factors.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, endAllSessions, getAccount, rejectUnmanageable } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { notifyOwner } from './notify-owner.ts';
import { deletePasskeys } from './passkey-queries.ts';
import {
  deleteRecoveryCodes,
  deleteTotp,
  findRequirement,
  lockFactors,
  type Owner,
  putRequirement,
} from './queries.ts';

export async function eraseFactors(tx: Tx, owner: Owner): Promise<void> {
  await deleteTotp(tx, owner);
  await deletePasskeys(tx, owner);
  await deleteRecoveryCodes(tx, owner);
}

/** Also used by the command line on the server. */
export async function resetFactors(
  tx: Tx,
  call: Call<Party>,
  account: AccountRow,
  reason: string | null,
  now: Time,
): Promise<void> {
  await lockFactors(tx, account);
  await eraseFactors(tx, account);
  await endAllSessions(tx, account.tenant_id, account.id, now);
  await notifyOwner(tx, { email: account.email, language: call.language }, 'reset', now);
  const param = { accountId: account.id, reason };
  await recordAudit(tx, call, now, 'factors.reset', `second factors of ${account.username} removed`, param);
}

export async function resetUserFactors(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { accountId, reason }: { readonly accountId: Key; readonly reason: string | undefined },
): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const account = await getAccount(tx, call.actor.tenantId, accountId);
    rejectUnmanageable(call, account);
    await resetFactors(tx, call, account, reason ?? null, clock.now());
  });
}

/** A role already required keeps its date: saving the form again starts no new grace period. */
export const requireFactors = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { roles, graceDays }: FactorRequirement,
): Promise<FactorRequirement> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    const now = clock.now();
    const before = await findRequirement(tx, tenantId);
    const requiredRoles: Role[] = [...new Set(roles)];
    const since = Object.fromEntries(requiredRoles.map(role => [role, before.since[role] ?? now]));
    await putRequirement(tx, tenantId, { since, graceDays }, now);
    const param = { roles: requiredRoles, graceDays };
    await recordAudit(tx, call, now, 'factors.require', 'roles that need a second factor changed', param);
    return { roles: requiredRoles, graceDays };
  });
