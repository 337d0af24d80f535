// Invariants between accounts: a friendship is seen by both or by neither, a pair has at most one open request, and
// none beside a friendship, unread counts match unread rows, and only files shared with a friend open for that friend.
import { expect } from 'vitest';
import type { Db, Key } from '../../server/src/platform/db/tables.ts';

const directed = (one: Key, other: Key): string => `${one}→${other}`;

export async function checkPeople(db: Db): Promise<void> {
  await checkFriends(db);
  await checkConversations(db);
  await checkFriendShares(db);
}

async function checkFriends(db: Db): Promise<void> {
  const friendships = await db.selectFrom('friendship').selectAll().execute();
  const sides = friendships.map(row => directed(row.user_id, row.friend_id));
  const mirrored = friendships.map(row => directed(row.friend_id, row.user_id));
  expect(sides.toSorted(), 'friendships have two sides').toEqual(mirrored.toSorted());
  const pending = await db.selectFrom('friend_request').selectAll().where('status', '=', 0).execute();
  const pairs = pending.map(row => directed(row.low_id, row.high_id));
  expect(new Set(pairs).size, 'one open request per pair').toBe(pairs.length);
  expect(
    pairs.filter(pair => sides.includes(pair)),
    'no open request among friends',
  ).toEqual([]);
  for (const row of await db.selectFrom('friend_request').selectAll().execute()) {
    expect(row.answered_at === null, `request ${row.id} has its time`).toBe(row.status === 0);
    expect([row.requester_id, row.addressee_id].toSorted((a, b) => a - b)).toEqual([row.low_id, row.high_id]);
  }
}

async function checkConversations(db: Db): Promise<void> {
  const messages = await db.selectFrom('message').selectAll().orderBy('id').execute();
  for (const side of await db.selectFrom('conversation_side').selectAll().execute()) {
    const about = `conversation ${side.conversation_id} of ${side.user_id}`;
    const shown = messages.filter(row => row.conversation_id === side.conversation_id && row.id > side.cleared_through);
    expect(side.last_message_id, `${about}: the last message`).toBe(shown.at(-1)?.id ?? null);
    const unread = shown.filter(row => row.sender_id === side.other_id && row.id > side.read_through);
    expect(side.unread, `${about}: unread`).toBe(unread.length);
  }
}

async function checkFriendShares(db: Db): Promise<void> {
  const friendships = await db.selectFrom('friendship').selectAll().execute();
  const sides = new Set(friendships.map(row => directed(row.user_id, row.friend_id)));
  const active = await db.selectFrom('friend_share').selectAll().where('status', '=', 1).execute();
  for (const share of active) {
    expect(sides.has(directed(share.sharer_id, share.friend_id)), `share ${share.id} is between friends`).toBe(true);
  }
  const opened = await db
    .selectFrom('friend_share as s')
    .innerJoin('friend_share_file as m', 'm.friend_share_id', 's.id')
    .innerJoin('file as f', 'f.id', 'm.file_id')
    .select(['s.gift_id', 'f.id as file_id'])
    .where('s.status', '=', 1)
    .where('f.status', '=', 1)
    .where('f.encryption', '!=', 'NONE')
    .execute();
  const envelopes = await db
    .selectFrom('envelope')
    .select(['recipient_id', 'file_id'])
    .where('recipient_type', '=', 'FRIEND_SHARE')
    .where('status', '=', 'ACTIVE')
    .execute();
  const keys = envelopes.map(row => `${row.recipient_id} opens ${row.file_id}`);
  expect(keys.toSorted(), 'keys of friend shares').toEqual(
    opened.map(row => `${row.gift_id} opens ${row.file_id}`).toSorted(),
  );
}
