// What must hold between people at any moment: a friendship is seen by both or by nobody, no pair has more than one open
// request, or one beside a friendship, and what counts as unread is what is there and was not read.
import { expect } from 'vitest';
import type { Db, Key } from '../../server/src/platform/db/tables.ts';

const directed = (one: Key, other: Key): string => `${one}→${other}`;

export async function checkPeople(db: Db): Promise<void> {
  await checkFriends(db);
  await checkConversations(db);
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
