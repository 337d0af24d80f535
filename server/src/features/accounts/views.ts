// Wire format of accounts.
import type { Account, Person } from '@recordproof/shared/api/accounts.ts';
import type { Profile } from '@recordproof/shared/api/auth.ts';
import { toIso } from '../../platform/clock.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
import type { PersonRow } from './people-queries.ts';
import { permissionsOf } from './permissions.ts';
import type { AccountRow } from './queries.ts';

export const toProfile = (row: AccountRow): Profile => ({
  externalId: row.external_id,
  username: row.username,
  email: row.email,
  role: row.role,
  nickname: row.nickname,
  avatar: row.avatar,
  registerTime: toIso(row.registered_at),
  permissions: [...permissionsOf(row.role, row.installation_admin === 1)],
});

export const toAccount = (row: AccountRow): Account => ({
  id: toWireId(row.id),
  externalId: row.external_id,
  username: row.username,
  email: row.email,
  nickname: row.nickname,
  role: row.role,
  kind: row.kind,
  status: row.status,
  registerTime: toIso(row.registered_at),
});

export const actorToProfile = (actor: Actor): Profile => ({
  externalId: actor.externalId,
  username: actor.username,
  email: actor.email,
  role: actor.role,
  nickname: actor.nickname,
  avatar: actor.avatar,
  registerTime: toIso(actor.registeredAt),
  permissions: [...actor.permissions],
});

export const toPerson = (row: PersonRow): Person => ({
  externalId: row.external_id,
  username: row.username,
  nickname: row.nickname,
  avatar: row.avatar,
});

/** Takes a result of `listPeople`; account rows are never deleted. */
export function getPerson(people: ReadonlyMap<Key, PersonRow>, id: Key): Person {
  const row = people.get(id);
  if (row === undefined) throw new Error(`internal: account ${id} does not exist`);
  return toPerson(row);
}

/** The name that others see. */
export const displayName = ({ nickname, username }: Pick<PersonRow, 'nickname' | 'username'>): string =>
  nickname ?? username;
