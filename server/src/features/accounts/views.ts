// How accounts look on the wire.
import type { Account } from '@recordproof/shared/api/accounts.ts';
import type { Profile } from '@recordproof/shared/api/auth.ts';
import { toIso } from '../../platform/clock.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
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
  permissions: [...permissionsOf(row.role)],
});

export const toAccount = (row: AccountRow): Account => ({
  id: toWireId(row.id),
  externalId: row.external_id,
  username: row.username,
  email: row.email,
  nickname: row.nickname,
  role: row.role,
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
