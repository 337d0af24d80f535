// What must hold between people at any moment: a friendship is seen by both or by nobody, and no pair has more than one
// open request, or one beside a friendship.
import { expect } from 'vitest';
import type { Db, Key } from '../../server/src/platform/db/tables.ts';

const directed = (one: Key, other: Key): string => `${one}→${other}`;

export async function checkPeople(db: Db): Promise<void> {
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
