// Profiles as their owners see them, outside of the first tenant with the name that signs in, and changes of the own
// profile.
import type { Profile } from '@recordproof/shared/api/auth.ts';
import type { Call } from '../../platform/call.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type AccountRow, updateAccount } from './queries.ts';
import { findTenantById, getDefaultTenant } from './tenant-queries.ts';
import { actorToProfile, toProfile } from './views.ts';

export function openProfiles(db: Db) {
  /** Cached: a tenant is renamed only when it is deleted. */
  const prefixes = new Map<Key, string>();

  async function readPrefix(tenantId: Key): Promise<string> {
    const tenant = tenantId === (await getDefaultTenant(db)) ? null : await findTenantById(db, tenantId);
    const prefix = tenant === null ? '' : `${tenant.name}/`;
    prefixes.set(tenantId, prefix);
    return prefix;
  }

  async function withSignInName(tenantId: Key, profile: Profile): Promise<Profile> {
    const prefix = prefixes.get(tenantId) ?? (await readPrefix(tenantId));
    return prefix === '' ? profile : { ...profile, signInName: `${prefix}${profile.username}` };
  }

  return {
    ofRow: (row: AccountRow): Promise<Profile> => withSignInName(row.tenant_id, toProfile(row)),
    ofActor: (actor: Actor): Promise<Profile> => withSignInName(actor.tenantId, actorToProfile(actor)),
  };
}

export const updateProfile = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  nickname: string | null,
): Promise<AccountRow> =>
  database.db.transaction().execute(async tx => {
    const account = await updateAccount(tx, call.actor.tenantId, call.actor.userId, { nickname });
    await recordAudit(tx, call, clock.now(), 'accounts.update-profile', 'profile changed', { nickname });
    return account;
  });
