// Wire format of shares between friends.
import type { FriendShare, FriendShareDetails } from '@recordproof/shared/api/friend-shares.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { getPerson, listPeople, type PersonRow } from '../accounts/index.ts';
import { toSharedFile } from '../copies/index.ts';
import { type FriendShareRow, listFilesOf } from './queries.ts';

const toView = (row: FriendShareRow, people: ReadonlyMap<Key, PersonRow>): FriendShare => ({
  id: toWireId(row.id),
  sharer: getPerson(people, row.sharer_id),
  friend: getPerson(people, row.friend_id),
  message: row.message,
  fileCount: row.file_count,
  status: row.status,
  createdAt: toIso(row.created_at),
  readAt: toIsoOrNull(row.read_at),
});

const peopleOf = (row: FriendShareRow): [Key, Key] => [row.sharer_id, row.friend_id];

/** Looks people up once for all rows. */
export async function toShareViews(db: Db, tenantId: Key, rows: readonly FriendShareRow[]): Promise<FriendShare[]> {
  const people = await listPeople(db, tenantId, rows.flatMap(peopleOf));
  return rows.map(row => toView(row, people));
}

export const toShareView = async (db: Db, row: FriendShareRow): Promise<FriendShare> =>
  toView(row, await listPeople(db, row.tenant_id, peopleOf(row)));

export const toShareDetails = async (db: Db, row: FriendShareRow): Promise<FriendShareDetails> => ({
  ...(await toShareView(db, row)),
  files: (await listFilesOf(db, row)).map(toSharedFile),
});
