// Administrators change the role or the status of an account of their tenant; its sessions end with the change.
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { endAllSessions } from './end-sessions.ts';
import { mayLoseAdmin } from './policy.ts';
import { type AccountRow, countActiveAdmins, findAccount, updateAccount } from './queries.ts';

type Ports = { readonly database: Database; readonly clock: Clock };

export type Standing = { readonly role: Role } | { readonly status: AccountStatus };

export type StandingRequest = {
  readonly actor: Actor;
  readonly accountId: Key;
  readonly change: Standing;
  readonly reason: string | undefined;
  readonly origin: Origin;
};

export function changeStanding({ database, clock }: Ports, request: StandingRequest): Promise<AccountRow> {
  const { actor, accountId, change, origin } = request;
  const { tenantId } = actor;
  return database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, `account-standing:${tenantId}`);
    const account = await findAccount(tx, tenantId, accountId);
    if (!account) throw new ApiError('USER_NOT_EXIST');
    const [field, from, to] =
      'role' in change
        ? (['role', account.role, change.role] as const)
        : (['status', account.status, change.status] as const);
    if (from === to) return account;
    const refusal = mayLoseAdmin(account, await countActiveAdmins(tx, tenantId));
    if (refusal) throw new ApiError('CONFLICT', refusal);
    await endAllSessions(tx, tenantId, accountId, clock.now());
    const changed = await updateAccount(tx, tenantId, accountId, change);
    await appendAudit(
      tx,
      {
        tenantId,
        who: actor,
        module: 'accounts',
        operation: `change-${field}`,
        description: `${field} of ${account.username} changed from ${from} to ${to}`,
        param: { accountId, from, to, reason: request.reason ?? null },
        origin,
      },
      clock.now(),
    );
    return changed;
  });
}
