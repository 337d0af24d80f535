// The fair queue: turns between keys, rejection when full, released slots, and random orders.
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const open = (slots: number, most: number) => {
  const queue = new FairQueue({ slots, most, rejection: () => new Error('full') });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const enter = (name: string, key: string | undefined = name[0]) => {
    const end = Promise.withResolvers<void>();
    return queue.run(key, () => {
      begun.push(name);
      ends.push(end.resolve);
      return end.promise;
    });
  };
  /** Ends what began first, until nothing is left. */
  const finish = async () => {
    for (;;) {
      await new Promise(setImmediate);
      const end = ends.shift();
      if (end === undefined) return;
      end();
    }
  };
  return { enter, begun, finish };
};

test('keys take turns, each in order of arrival', async () => {
  const { enter, begun, finish } = open(1, 64);
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(name => enter(name));
  await finish();
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('a full queue rejects the newest entry of the key with most entries in favour of another key', async () => {
  const { enter, begun, finish } = open(2, 6);
  const many = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(name => enter(name));
  const outcomes = Promise.allSettled([...many, enter('a7'), enter('b1'), enter('c1'), enter('d1')]);
  await finish();
  expect((await outcomes).map(({ status }) => status === 'fulfilled')).toEqual([
    ...[true, true, true, false, false, false], // the newest of them made room
    false,
    ...[true, true, true],
  ]);
  expect(begun.sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'd1']);
});

test('entries without a key are queued separately, and rejected when the queue is full', async () => {
  const { enter, finish } = open(1, 2);
  const tries = Promise.allSettled([1, 2, 3].map(() => enter('x', undefined)));
  await finish();
  expect((await tries).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

test('failing work releases its slot', async () => {
  const queue = new FairQueue({ slots: 1, most: 9, rejection: () => new Error('full') });
  const failing = Array.from({ length: 3 }, () => queue.run('a', () => Promise.reject(new Error('broken'))));
  for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
  expect(await queue.run('a', async () => 'fine')).toBe('fine');
});

test('over random orders: slots and queue stay within their bounds, and every call settles', async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  for (let round = 0; round < 200; round += 1) {
    const [slots, most] = [1 + random(3), 3 + random(6)];
    const queue = new FairQueue({ slots, most, rejection: () => new Error('full') });
    let running = 0;
    const work = async () => {
      running += 1;
      expect(running).toBeLessThanOrEqual(slots);
      for (let turn = random(4); turn > 0; turn -= 1) await Promise.resolve();
      running -= 1;
    };
    const all: Promise<void>[] = [];
    for (let at = 0; at < 30; at += 1) {
      all.push(queue.run('abcd'[random(4)], work));
      for (let turn = random(5); turn > 0; turn -= 1) await Promise.resolve();
    }
    await Promise.allSettled(all);
    expect(running).toBe(0);
    await queue.run('z', work); // every slot was released
  }
});
