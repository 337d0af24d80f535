import { expect, test } from 'vitest';
import { delayAfter, handleEvent } from './handle-event.ts';
import { encodeEvent, maxEventBytes, type OutboxEvent, parseEvent, wants } from './transport.ts';

const event: OutboxEvent = {
  id: '1',
  type: 'file.stored',
  tenantId: '7',
  payload: { fileId: '12' },
  createdAt: '2026-06-01T12:00:00.000Z',
};

test.each([
  ['file.stored', 'file.stored', true],
  ['file.stored', 'file.stored.again', false],
  ['file.*', 'file.stored', true],
  ['file.*', 'file', false],
  ['file.*', 'file.stored.again', false],
  ['file.#', 'file', true],
  ['file.#', 'file.stored.again', true],
  ['#', 'anything.at.all', true],
  ['#.stored', 'a.b.stored', true],
  ['#.stored', 'a.b.deleted', false],
  ['*.*', 'a.b', true],
  ['*', '#', true],
])('the wish "%s" for "%s" is %s', (pattern, type, expected) => {
  expect(wants({ name: 'g', types: [pattern] }, type)).toBe(expected);
});

test('a group wants what any of its patterns wants, and nothing when it has none', () => {
  expect(wants({ name: 'g', types: ['a', 'file.*'] }, 'file.stored')).toBe(true);
  expect(wants({ name: 'g', types: [] }, 'file.stored')).toBe(false);
});

test('an event survives its encoding', () => {
  expect(parseEvent(encodeEvent(event))).toEqual(event);
});

test('bytes that are no event are not taken for one', () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  for (const bytes of [
    Buffer.from(''),
    Buffer.from('{'),
    Buffer.from([0xff, 0xfe]),
    json(null),
    json([event]),
    json({ ...event, id: 1 }),
    json({ ...event, payload: null }),
    json({ ...event, payload: [] }),
    json({ ...event, type: 'a b' }),
    json({ ...event, payload: { blob: 'x'.repeat(maxEventBytes) } }),
  ]) {
    expect(parseEvent(bytes)).toBeNull();
  }
});

test('the pause between attempts doubles up to its bound', () => {
  const retry = { maxAttempts: 10, firstDelayMs: 1000, maxDelayMs: 60_000 };
  expect([1, 2, 3, 6, 7, 9].map(attempt => delayAfter(attempt, retry))).toEqual([
    1000, 2000, 4000, 32_000, 60_000, 60_000,
  ]);
});

test('stopping ends the pause between attempts', async () => {
  const stopping = new AbortController();
  const outcome = handleEvent(event, {
    handler: async () => {
      stopping.abort();
      throw new Error('fails');
    },
    retry: { maxAttempts: 5, firstDelayMs: 3_600_000, maxDelayMs: 3_600_000 },
    earlierAttempts: 0,
    signal: stopping.signal,
  });
  expect(await outcome).toEqual({ kind: 'not-now' });
});

test('an event that others did not finish has fewer attempts left, but never none', async () => {
  const attempts: number[] = [];
  const handling = {
    handler: async (_: OutboxEvent, attempt: number) => {
      attempts.push(attempt);
      throw new Error('fails');
    },
    retry: { maxAttempts: 3, firstDelayMs: 1, maxDelayMs: 1 },
    signal: new AbortController().signal,
  };
  await handleEvent(event, { ...handling, earlierAttempts: 1 });
  expect(await handleEvent(event, { ...handling, earlierAttempts: 9 })).toMatchObject({ kind: 'given-up' });
  expect(attempts).toEqual([2, 3, 3]);
});
