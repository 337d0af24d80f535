// Service account creation by an administrator. Programs use a service account with API tokens; it has no password, no
// address and no sign-in.
import type { createServiceAccount as contract } from '@recordproof/shared/api/accounts.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import type { Call } from '../../platform/call.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { createAccount } from './create-account.ts';
import { type AccountRow, foldName } from './queries.ts';

export async function createServiceAccount(
  { database, clock, passwords }: Pick<Server, 'database' | 'clock' | 'passwords'>,
  call: Call,
  { username, role }: BodyOf<typeof contract>,
): Promise<AccountRow> {
  const { tenantId } = call.actor;
  const passwordHash = await passwords.hash(randomBase62(64), call.ip);
  const email = `${tenantId}.${foldName(username)}@service`; // no mail address: those have another form
  const now = clock.now();
  return database.db.transaction().execute(async tx => {
    const account = await createAccount(
      tx,
      call,
      { tenantId, username, email, role, kind: 'service', passwordHash },
      now,
    );
    const param = { accountId: account.id, role };
    await recordAudit(tx, call, now, 'accounts.create-service', `service account ${username} created`, param);
    return account;
  });
}
