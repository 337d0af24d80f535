// Account creation by an administrator, with an initial password for the owner.
import type { createUser as contract } from '@recordproof/shared/api/accounts.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { createAccount } from './create-account.ts';
import type { AccountRow } from './queries.ts';

export async function createUser(
  { database, clock, passwords }: Pick<Server, 'database' | 'clock' | 'passwords'>,
  call: Call,
  { password, ...fields }: BodyOf<typeof contract>,
): Promise<AccountRow> {
  const { tenantId } = call.actor;
  const passwordHash = await passwords.hash(password, call.ip);
  const now = clock.now();
  return database.db.transaction().execute(async tx => {
    const account = await createAccount(tx, call, { ...fields, tenantId, passwordHash }, now);
    const { id: accountId, username, role } = account;
    await recordAudit(tx, call, now, 'accounts.create-user', `account ${username} created`, { accountId, role });
    return account;
  });
}
