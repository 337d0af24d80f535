// Buffer of recent events: replay from a known id, gaps, order, and bounds.
import { expect, test } from 'vitest';
import type { EventRow } from './queries.ts';
import { mostRecent, RecentEvents } from './recent.ts';

const rowOf = (id: number, size = 10): EventRow => ({
  tenant_id: 1,
  id,
  user_id: null,
  roles: null,
  type: 'file-recorded',
  payload: JSON.stringify('x'.repeat(size)),
  created_at: 0,
  stored_at: 0,
});
const rows = (from: number, to: number, size?: number): EventRow[] =>
  Array.from({ length: to - from + 1 }, (_, index) => rowOf(from + index, size));
const idsSince = (recent: RecentEvents, after: number) => recent.since(after)?.map(({ row }) => row.id) ?? null;

test('recent events are returned from any known id, and null before the oldest', () => {
  const recent = new RecentEvents();
  expect(idsSince(recent, 0)).toBeNull();
  for (const row of rows(5, 9)) recent.push(row);
  expect(idsSince(recent, 3)).toBeNull();
  expect(idsSince(recent, 4)).toEqual([5, 6, 7, 8, 9]);
  expect(idsSince(recent, 7)).toEqual([8, 9]);
  expect(idsSince(recent, 9)).toEqual([]);
  expect([recent.find(4), recent.find(7)?.id, recent.find(10)]).toEqual([undefined, 7, undefined]);
});

test('a gap in the ids clears the events before it', () => {
  const recent = new RecentEvents();
  for (const row of [...rows(1, 3), ...rows(5, 6)]) recent.push(row);
  expect(idsSince(recent, 3)).toBeNull();
  expect(idsSince(recent, 4)).toEqual([5, 6]);
});

test('events read from the database are placed before newer ones, without duplicates', () => {
  const recent = new RecentEvents();
  for (const row of rows(8, 9)) recent.push(row);
  recent.fill(rows(2, 8));
  expect(idsSince(recent, 1)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  recent.fill([]);
  expect(idsSince(recent, 1)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
});

test('the number and the size of recent events are bounded', () => {
  const many = new RecentEvents();
  for (const row of rows(1, 10 * mostRecent)) many.push(row);
  const kept = many.since(9 * mostRecent)?.length;
  expect(kept).toBe(mostRecent);
  expect(many.since(7 * mostRecent)).toBeNull();
  const large = new RecentEvents();
  for (const row of rows(1, 500, 60_000)) large.push(row);
  expect(large.since(490)).toHaveLength(10);
  expect(large.since(460)).toBeNull();
});
