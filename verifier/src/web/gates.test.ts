// Rate limit and admission control of the verification service: windows, shares, revoked slots, queue.
import { expect, test } from 'vitest';
import { Admission, type AdmissionLimits } from './admission.ts';
import { RateLimiter } from './rate-limiter.ts';

const limits = { requests: 3, windowMillis: 60_000, maxClients: 2 };

test('a client is limited per window, and gets the time of its next request', () => {
  let now = 0;
  const limiter = new RateLimiter(limits, () => now);
  expect([1, 2, 3].map(() => limiter.take('a'))).toEqual([undefined, undefined, undefined]);
  now = 15_500;
  expect(limiter.take('a')).toBe(45);
  expect(limiter.take('b')).toBeUndefined();
  now = 60_000;
  expect(limiter.take('a')).toBeUndefined();
});

test('the table of clients never exceeds its limit', () => {
  let now = 0;
  const limiter = new RateLimiter(limits, () => now);
  for (let client = 0; client < 1000; client++) expect(limiter.take(String(client))).toBeUndefined();
  expect(limiter.clients).toBe(2);
  now = 60_000;
  limiter.take('later');
  expect(limiter.clients).toBe(1);
});

const admissionOf = (slots: number, more: Partial<AdmissionLimits> = {}, now = () => 0) =>
  new Admission({ slots, slotsPerAddress: slots, acquireTimeoutMillis: 5, rememberMillis: 10_000, ...more }, now);

test('slots of one address beyond its share are revoked for another address', async () => {
  const admission = admissionOf(4, { slotsPerAddress: 2 });
  const recalled: number[] = [];
  for (let at = 0; at < 4; at++) {
    const slot = await admission.enter('a');
    if (slot !== undefined) slot.onRecall = () => recalled.push(at);
  }
  expect(await admission.enter('a')).toBeUndefined();
  expect(await admission.enter('b')).toBeDefined();
  expect(await admission.enter('c')).toBeDefined();
  expect(recalled).toEqual([3, 2]);
  // Its share is its own.
  expect(await admission.enter('d')).toBeUndefined();
  expect(recalled).toEqual([3, 2]);
});

test('a slot whose upload is complete is not revoked', async () => {
  const admission = admissionOf(2, { slotsPerAddress: 1 });
  const [first, second] = [await admission.enter('a'), await admission.enter('a')];
  expect(await admission.enter('b')).toBeUndefined();
  second?.[Symbol.dispose]();
  expect(await admission.enter('b')).toBeDefined();
  first?.[Symbol.dispose]();
});

test('slots are wanted while a client waits, and for a while after it was rejected', async () => {
  let now = 0;
  const admission = admissionOf(1, { slotsPerAddress: 2 }, () => now);
  const slot = await admission.enter('a');
  expect(admission.isWanted).toBe(false);
  const waiting = admission.enter('b');
  expect(admission.isWanted).toBe(true);
  expect(await waiting).toBeUndefined();
  expect(admission.isWanted).toBe(true);
  now = 10_000;
  expect(admission.isWanted).toBe(false);
  slot?.[Symbol.dispose]();
});

test('all slots are assigned; the next client waits and gets the first free slot', async () => {
  const admission = admissionOf(2, { slotsPerAddress: 9, acquireTimeoutMillis: 10_000 });
  const [first, second] = [await admission.enter('x'), await admission.enter('x')];
  const order: string[] = [];
  const third = admission.enter('x').then(slot => {
    order.push('third');
    return slot;
  });
  const fourth = admission.enter('x').then(slot => {
    order.push('fourth');
    return slot;
  });
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose]();
  expect(await third).toBeDefined();
  second?.[Symbol.dispose]();
  expect(await fourth).toBeDefined();
  expect(order).toEqual(['third', 'fourth']);
});

test('a client that waits too long is rejected, and occupies no slot', async () => {
  const admission = admissionOf(1, { slotsPerAddress: 9 });
  const slot = await admission.enter('x');
  expect(await admission.enter('x')).toBeUndefined();
  slot?.[Symbol.dispose]();
  expect(await admission.enter('x')).toBeDefined();
});
