// Account deletion by an administrator: the account is closed permanently and its personal data is erased. The row
// stays, because files, messages and the audit log refer to it. Other features clean up through a hook.
import type { FilesOfDeleted } from '@recordproof/shared/api/accounts.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { endAllSessions } from './end-sessions.ts';
import { type AccountRow, eraseAccount } from './queries.ts';
import { getAccount, rejectChange } from './reject-change.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Runs in the transaction that deletes an account; gets the account as it was before. */
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
    const account = await getAccount(tx, tenantId, accountId);
    await rejectChange(tx, call, account);
    const now = clock.now();
    await closeAccount(tx, { hooks }, { account, files, unknownPassword, now });
    const param = { accountId, role: account.role, files, reason: reason ?? null };
    await recordAudit(tx, call, now, 'accounts.delete', `account ${account.username} deleted`, param);
  });
}

type Closing = {
  readonly account: AccountRow;
  readonly files: FilesOfDeleted;
  /** The hash of a random password. */
  readonly unknownPassword: string;
  readonly now: Time;
};

/** Ends sessions, erases personal data, and runs the hooks of other features. */
export async function closeAccount(
  tx: Tx,
  { hooks }: Pick<Server, 'hooks'>,
  { account, files, unknownPassword, now }: Closing,
): Promise<void> {
  await endAllSessions(tx, account.tenant_id, account.id, now);
  await eraseAccount(tx, account.tenant_id, account.id, unknownPassword, now);
  for (const notify of hooks.of('accountDeleted')) await notify(tx, account, files, now);
}
