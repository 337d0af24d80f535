// Accounts for servers in processes of their own, inserted into their database without the API.
import type { Role } from '@recordproof/shared/api/auth.ts';
import { createAccount, findTenant, getDefaultTenant, insertTenant } from '../../server/src/features/accounts/index.ts';
import { localOrigin } from '../../server/src/platform/call.ts';
import { hashPassword } from '../../server/src/platform/crypto/password-text.ts';
import type { Db, Key } from '../../server/src/platform/db/tables.ts';
import { testPassword } from './app.ts';

export type Made = { readonly tenantId: Key; readonly userId: Key };

let passwordHash: Promise<string> | undefined;

/** In the default tenant unless another is named, which is created if it does not exist. */
export async function makeAccount(db: Db, username: string, role: Role = 'user', tenant?: string): Promise<Made> {
  passwordHash ??= hashPassword(testPassword);
  const hash = await passwordHash;
  const now = Date.now();
  return db.transaction().execute(async tx => {
    const tenantId =
      tenant === undefined
        ? await getDefaultTenant(tx)
        : ((await findTenant(tx, tenant))?.id ?? (await insertTenant(tx, tenant, now)));
    const request = { tenantId, username, email: `${username}@example.org`, role, passwordHash: hash };
    const { id } = await createAccount(tx, localOrigin('test', now), request, now);
    return { tenantId, userId: id };
  });
}
