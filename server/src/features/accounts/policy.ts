// Rules for changes to accounts. Pure.
import type { Actor } from '../../platform/http/caller.ts';
import type { AccountRow } from './queries.ts';

type Standing = Pick<AccountRow, 'role' | 'status' | 'installation_admin' | 'kind'>;

/** A service account cannot sign in. */
const isActiveAdmin = ({ role, status, kind }: Standing): boolean =>
  role === 'admin' && status === 'ACTIVE' && kind === 'person';

/** A tenant always keeps an active administrator. Returns null if the change is allowed. */
export function mayLoseAdmin(account: Standing, activeAdmins: number): string | null {
  return isActiveAdmin(account) && activeAdmins <= 1
    ? 'this is the last active administrator of the tenant; make another one first'
    : null;
}

/** The same rule for the installation. */
export function mayLoseInstallationAdmin(account: Standing, installationAdmins: number): string | null {
  return account.installation_admin === 1 && isActiveAdmin(account) && installationAdmins <= 1
    ? 'this is the last active administrator of the installation; grant the role to another account first'
    : null;
}

export const mayBeInstallationAdmin = (account: Standing): string | null =>
  isActiveAdmin(account) ? null : 'only an active administrator of the first tenant can manage the installation';

/** An administrator of a tenant may not change installation administrators. Returns null if the change is allowed. */
export const mayManage = ({ permissions }: Pick<Actor, 'permissions'>, account: Standing): string | null =>
  account.installation_admin === 1 && !permissions.has('installation:admin')
    ? 'this account manages the installation: only another administrator of the installation may change it'
    : null;
