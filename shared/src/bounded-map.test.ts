// Order of eviction from a bounded map.
import { expect, test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

const fill = (most: number) => {
  const evicted: string[] = [];
  const map = new BoundedMap<string, number>(most, (value, key) => evicted.push(`${key}${value}`));
  return { map, evicted };
};

test('what was set longest ago goes first, and is handed out once', () => {
  const { map, evicted } = fill(2);
  for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, index);
  expect([...map]).toEqual([
    ['c', 2],
    ['d', 3],
  ]);
  expect(evicted).toEqual(['a0', 'b1']);
  expect(map.size).toBe(2);
});

test('what is used stays, what is only looked at does not', () => {
  const { map, evicted } = fill(2);
  map.set('a', 1);
  map.set('b', 2);
  expect([map.use('a'), map.get('b')]).toEqual([1, 2]);
  map.set('c', 3);
  expect(evicted).toEqual(['b2']);
  expect(map.use('b')).toBeUndefined();
});

test('a value that is replaced is handed out, one that is taken is not', () => {
  const { map, evicted } = fill(2);
  map.set('a', 1);
  map.set('a', 2);
  expect(evicted).toEqual(['a1']);
  expect(map.take('a')).toBe(2);
  map.evict('a');
  expect(evicted).toEqual(['a1']);
  expect(map.size).toBe(0);
});
