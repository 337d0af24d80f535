// Erasure of an account's sign-in data: locks, addresses, devices, sessions, pending codes.
import type { Tx } from '../../platform/db/tables.ts';
import type { AccountRow } from '../accounts/index.ts';
import { unlockAccount } from './attempts.ts';

export async function eraseSignIns(tx: Tx, account: AccountRow): Promise<void> {
  const { id, tenant_id, email } = account;
  await unlockAccount(tx, account);
  await tx.deleteFrom('known_address').where('user_id', '=', id).execute();
  await tx.deleteFrom('kept_session').where('tenant_id', '=', tenant_id).where('user_id', '=', id).execute();
  await tx.deleteFrom('session').where('tenant_id', '=', tenant_id).where('user_id', '=', id).execute();
  await tx.deleteFrom('pending_sign_in').where('tenant_id', '=', tenant_id).where('user_id', '=', id).execute();
  await tx.deleteFrom('known_device').where('user_id', '=', id).execute();
  await tx.deleteFrom('mail_code').where('email', '=', email).execute();
}
