// The mutex: order of callers, failing work, and cancelled waits.
import { expect, test } from 'vitest';
import { Mutex } from './mutex.ts';

test('callers enter one at a time, in order of arrival', async () => {
  const mutex = new Mutex();
  const seen: string[] = [];
  const work = (name: string) =>
    mutex.run(async () => {
      seen.push(`${name} in`);
      await new Promise(setImmediate);
      seen.push(`${name} out`);
    });
  await Promise.all([work('a'), work('b')]);
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out']);
});

test('a caller whose work fails releases the mutex', async () => {
  const mutex = new Mutex();
  await expect(mutex.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await mutex.run(() => 'next')).toBe('next');
});

test('a caller that stops waiting does not block later callers', async () => {
  const mutex = new Mutex();
  const release = await mutex.acquire();
  expect(await mutex.acquireWithin(1)).toBeNull();
  const behind = mutex.acquireWithin(60_000);
  release();
  expect(await behind).not.toBeNull();
});
