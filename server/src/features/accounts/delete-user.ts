// An administrator deletes an account: it is closed for good, and what identifies its owner is erased. The row stays, because
// files, messages and the audit log refer to it. Other features end what was the owner's through a hook.
import type { FilesOfDeleted } from '@recordproof/shared/api/accounts.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { endAllSessions } from './end-sessions.ts';
import { mayLoseAdmin } from './policy.ts';
import { type AccountRow, countActiveAdmins, eraseAccount, findAccount } from './queries.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** In the transaction that deletes an account, which is given as it was before. */
    accountDeleted: (tx: Tx, account: AccountRow, files: FilesOfDeleted, now: Time) => Promise<void>;
  }
}

type Deletion = {
  readonly accountId: Key;
  readonly files: FilesOfDeleted;
  readonly reason: string | undefined;
};

export async function deleteUser(
  { database, clock, passwords, hooks }: Pick<Server, 'database' | 'clock' | 'passwords' | 'hooks'>,
  call: Call,
  { accountId, files, reason }: Deletion,
): Promise<void> {
  const { tenantId, userId } = call.actor;
  if (accountId === userId)
    throw new ApiError('CONFLICT', 'this is your own account: another administrator has to delete it');
  const unknownPassword = await passwords.hash(randomBase62(64), call.ip);
  await database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, `account-standing:${tenantId}`);
    const account = await findAccount(tx, tenantId, accountId);
    if (!account || account.deleted_at !== null) throw new ApiError('USER_NOT_EXIST');
    const refusal = mayLoseAdmin(account, await countActiveAdmins(tx, tenantId));
    if (refusal) throw new ApiError('CONFLICT', refusal);
    const now = clock.now();
    await endAllSessions(tx, tenantId, accountId, now);
    await eraseAccount(tx, tenantId, accountId, unknownPassword, now);
    for (const tell of hooks.of('accountDeleted')) await tell(tx, account, files, now);
    const param = { accountId, role: account.role, files, reason: reason ?? null };
    await recordAudit(tx, call, now, 'accounts.delete', `account ${account.username} deleted`, param);
  });
}
