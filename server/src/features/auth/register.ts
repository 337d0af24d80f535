// Opening an account with the code from the mail.
import type { KeyObject } from 'node:crypto';
import type { register as contract } from '@recordproof/shared/api/auth.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import type { Clock } from '../../platform/clock.ts';
import { hashPassword } from '../../platform/crypto/password-hash.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type AccountRow, createAccount, getDefaultTenant } from '../accounts/index.ts';
import type { Origin } from '../audit/index.ts';
import { withMailCode } from './mail-codes.ts';

type Ports = { readonly db: Db; readonly clock: Clock; readonly pepper: KeyObject };

export async function register(ports: Ports, body: BodyOf<typeof contract>, origin: Origin): Promise<AccountRow> {
  const { email, code, username, nickname } = body;
  const passwordHash = await hashPassword(body.password);
  const tenantId = await getDefaultTenant(ports.db);
  const account = { tenantId, username, email, nickname, role: 'user', passwordHash } as const;
  return withMailCode(ports, { email, type: 'register', code }, tx =>
    createAccount(tx, account, origin, ports.clock.now()),
  );
}
