// Wire format of friends and friend requests.
import type { Friend, FriendRequest } from '@recordproof/shared/api/friends.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { getPerson, listPeople, type PersonRow, toPerson } from '../accounts/index.ts';
import type { FriendRow, RequestRow } from './queries.ts';

export const toFriendView = (row: FriendRow): Friend => ({
  ...toPerson(row),
  id: toWireId(row.id),
  remark: row.remark,
  friendsSince: toIso(row.created_at),
});

const toView = (row: RequestRow, people: ReadonlyMap<Key, PersonRow>): FriendRequest => ({
  id: toWireId(row.id),
  requester: getPerson(people, row.requester_id),
  addressee: getPerson(people, row.addressee_id),
  message: row.message,
  status: row.status,
  createdAt: toIso(row.created_at),
  answeredAt: toIsoOrNull(row.answered_at),
});

const peopleOf = (row: RequestRow): [Key, Key] => [row.requester_id, row.addressee_id];

/** Looks people up once for all rows. */
export async function toRequestViews(db: Db, tenantId: Key, rows: readonly RequestRow[]): Promise<FriendRequest[]> {
  const people = await listPeople(db, tenantId, rows.flatMap(peopleOf));
  return rows.map(row => toView(row, people));
}

export const toRequestView = async (db: Db, row: RequestRow): Promise<FriendRequest> =>
  toView(row, await listPeople(db, row.tenant_id, peopleOf(row)));
