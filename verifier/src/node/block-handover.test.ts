// Model check of the block handover between two threads, and its run on real threads.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { exploreHandOver, type Protocol } from '../../../test/support/handover-model.ts';
import {
  closed,
  empty,
  fromWord,
  handOverSteps,
  onMemory,
  runSteps,
  type Steps,
  takeSteps,
  toWord,
} from './block-handover.mjs';

const protocol: Protocol = { handOver: handOverSteps, take: takeSteps, start: 'look' };

/** What a return of `wait` was once taken for: a proof that the word had changed. */
const trusting: Protocol = {
  handOver: {
    wait: { op: 'wait', value: ({ given }) => given - 1 || closed, next: () => 'store' },
    store: { op: 'store', value: ({ given }) => given, next: () => 'notify' },
    notify: { op: 'notify', next: () => 'end' },
  },
  take: {
    wait: { op: 'wait', value: () => empty, next: () => 'look' },
    look: { op: 'load', next: seen => (seen === closed ? 'end' : 'hash') },
    hash: { op: 'hash', value: ({ seen }) => seen, next: () => 'store' },
    store: { op: 'store', value: () => empty, next: () => 'notify' },
    notify: { op: 'notify', next: () => 'wait' },
  },
  start: 'wait',
};

const without = (steps: Steps, name: string, next: string): Steps => ({
  ...steps,
  [name]: { ...(steps[name] as Steps[string]), next: () => next },
});

test.each([0, 1, 2, 3, 5])(
  'in every interleaving %i blocks are hashed once and in order, and both threads end',
  blocks => {
    const { states, faults } = exploreHandOver(protocol, blocks);
    expect([...faults]).toEqual([]);
    expect(states).toBeGreaterThan(10);
  },
);

test('the model finds the lost block of a protocol that relies on the return of wait', () => {
  const { faults } = exploreHandOver(trusting, 3);
  expect(faults).toContain('a block was overwritten');
  expect(faults).toContain('the blocks were not hashed once and in order');
});

test('the model finds each missing loop and each missing notify', () => {
  const readerTrusts = { ...protocol, handOver: without(handOverSteps, 'wait', 'store') };
  const hasherTrusts = {
    ...protocol,
    take: { ...without(takeSteps, 'wait', 'again'), again: { op: 'load', next: () => 'hash' } } as Steps,
  };
  const silentReader = { ...protocol, handOver: without(handOverSteps, 'store', 'end') };
  const silentHasher = { ...protocol, take: without(takeSteps, 'store', 'look') };
  expect(exploreHandOver(readerTrusts, 2).faults).toContain('a block was overwritten');
  expect(exploreHandOver(hasherTrusts, 2).faults.size).toBeGreaterThan(0);
  expect(exploreHandOver(silentReader, 2).faults).toContain('both wait for ever');
  expect(exploreHandOver(silentHasher, 2).faults).toContain('both wait for ever');
});

/** A hasher that is preempted for two milliseconds before each notify. */
const slowHasher = `
const { parentPort, workerData: { url, memory } } = require('node:worker_threads');
const pause = new Int32Array(new SharedArrayBuffer(4));
import(url).then(({ takeSteps, runSteps, onMemory }) => {
  const words = [];
  const perform = onMemory(memory, { hash: word => void words.push(word) });
  runSteps(takeSteps, (op, value) => {
    if (op === 'notify') Atomics.wait(pause, 0, 0, 2);
    return perform(op, value);
  });
  parentPort.postMessage(words);
});
`;

test('real threads transfer every block when the hasher is preempted before each notify', async () => {
  const memory = new Int32Array(new SharedArrayBuffer(4));
  const url = new URL('./block-handover.mjs', import.meta.url).href;
  const worker = new Worker(slowHasher, { eval: true, workerData: { url, memory }, execArgv: [] });
  const answered = once(worker, 'message');
  const words = Array.from({ length: 100 }, (_, turn) => toWord(turn % 3, 1024 * 1024 - turn));
  for (const word of [...words, closed]) runSteps(handOverSteps, onMemory(memory), word);
  expect(await answered).toEqual([words]);
});

test('a word encodes the block and its length', () => {
  for (const block of [0, 1, 2])
    for (const length of [1, 2, 1024 * 1024 - 1, 1024 * 1024]) {
      const word = toWord(block, length);
      expect(word).toBe(word | 0);
      expect(fromWord(word)).toEqual({ block, length });
    }
});
