import { expect, test } from 'vitest';
import { Admission } from './admission.ts';
import { RateLimiter } from './rate-limiter.ts';

const limits = { requests: 3, windowMillis: 60_000, maxClients: 2 };

test('a client may come so often in a window, and is told when it may come again', () => {
  let now = 0;
  const limiter = new RateLimiter(limits, () => now);
  expect([1, 2, 3].map(() => limiter.take('a'))).toEqual([undefined, undefined, undefined]);
  now = 15_500;
  expect(limiter.take('a')).toBe(45);
  expect(limiter.take('b')).toBeUndefined();
  now = 60_000;
  expect(limiter.take('a')).toBeUndefined();
});

test('the table of clients never grows over its bound', () => {
  let now = 0;
  const limiter = new RateLimiter(limits, () => now);
  for (let client = 0; client < 1000; client++) expect(limiter.take(String(client))).toBeUndefined();
  expect(limiter.clients).toBe(2);
  now = 60_000;
  limiter.take('later');
  expect(limiter.clients).toBe(1);
});

test('as many as there are places enter; the next waits and gets the first that is left', async () => {
  const admission = new Admission(2, 10_000);
  const [first, second] = [await admission.enter(), await admission.enter()];
  const order: string[] = [];
  const third = admission.enter().then(place => {
    order.push('third');
    return place;
  });
  const fourth = admission.enter().then(place => {
    order.push('fourth');
    return place;
  });
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose]();
  expect(await third).toBeDefined();
  second?.[Symbol.dispose]();
  expect(await fourth).toBeDefined();
  expect(order).toEqual(['third', 'fourth']);
});

test('who waits too long is sent away, and takes no place with them', async () => {
  const admission = new Admission(1, 5);
  const place = await admission.enter();
  expect(await admission.enter()).toBeUndefined();
  place?.[Symbol.dispose]();
  expect(await admission.enter()).toBeDefined();
});
