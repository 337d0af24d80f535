// What may be done to an account. Pure.
import type { AccountRow } from './queries.ts';

/** A tenant without an active administrator could never be run again. Null when the change is fine. */
export function mayLoseAdmin(account: Pick<AccountRow, 'role' | 'status'>, activeAdmins: number): string | null {
  const counts = account.role === 'admin' && account.status === 'ACTIVE';
  return counts && activeAdmins <= 1
    ? 'this is the last active administrator of the tenant; make another one first'
    : null;
}
