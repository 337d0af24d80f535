// Task group of concurrent loops: first failure, abort, waits on shared conditions.
import { expect, test } from 'vitest';
import { runTaskGroup } from './task-group.ts';

test('the first failure of concurrent loops ends the others and is thrown', async () => {
  const ended: string[] = [];
  const waiting = (name: string, until: (isSo: () => boolean) => Promise<void>) => async () => {
    await until(() => false).catch(() => void ended.push(name));
  };
  const group = runTaskGroup(undefined, ({ until }) => [
    waiting('a', until),
    waiting('b', until),
    async () => {
      throw new Error('the first');
    },
  ]);
  await expect(group).rejects.toThrow('the first');
  expect(ended.sort()).toEqual(['a', 'b']);
});

test('aborted loops reject with the reason', async () => {
  const stop = new AbortController();
  const group = runTaskGroup(stop.signal, ({ until }) => [() => until(() => false)]);
  stop.abort(new Error('enough'));
  await expect(group).rejects.toThrow('enough');
});

test('a loop continues after another one has changed its condition', async () => {
  const order: string[] = [];
  let isReady = false;
  await runTaskGroup(undefined, ({ until, wake }) => [
    async () => {
      await until(() => isReady);
      order.push('then the other');
    },
    async () => {
      order.push('first this');
      isReady = true;
      wake();
    },
  ]);
  expect(order).toEqual(['first this', 'then the other']);
});
