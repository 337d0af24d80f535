// Registration with a mailed code.
import type { register as contract } from '@recordproof/shared/api/auth.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import type { Origin } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, createAccount, getDefaultTenant } from '../accounts/index.ts';
import { withMailCode } from './mail-codes.ts';
import { checkRegistration } from './registration.ts';

export async function register(
  server: Pick<Server, 'database' | 'clock' | 'keys' | 'passwords' | 'config'>,
  origin: Origin,
  body: BodyOf<typeof contract>,
): Promise<AccountRow> {
  const { email, code, username, nickname } = body;
  checkRegistration(server.config.accounts.registration, email);
  const passwordHash = await server.passwords.hash(body.password, origin.ip);
  const tenantId = await getDefaultTenant(server.database.db);
  const account = { tenantId, username, email, nickname, role: 'user', passwordHash } as const;
  return withMailCode(server, { email, type: 'register', code }, tx =>
    createAccount(tx, origin, account, server.clock.now()),
  );
}
