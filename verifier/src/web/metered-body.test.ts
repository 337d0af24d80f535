// Minimum rate of an uploaded body: doubled while clients wait, reset afterwards.
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { meteredBody } from './metered-body.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A hundred bytes each second. */
const drip = () =>
  ({
    iterator: async function* () {
      for (let second = 0; second < 20; second++) {
        yield Buffer.alloc(100);
        vi.advanceTimersByTime(1000);
      }
    },
  }) as unknown as IncomingMessage;

/** After how many blocks a body of this rate is rejected; undefined when it comes to its end. */
async function givenUpAfter(minBytesPerPeriod: number, isWanted: (blocks: number) => boolean) {
  let blocks = 0;
  let given: number | undefined;
  const limits = { maxBytes: 1e9, minBytesPerPeriod, periodMillis: 1000 };
  const tooSlow = () => {
    given ??= blocks;
  };
  for await (const _ of meteredBody(drip(), limits, tooSlow, () => isWanted(blocks))) blocks++;
  return given;
}

test('a body at the required pace completes while no client waits', async () => {
  expect(await givenUpAfter(100, () => false)).toBeUndefined();
  expect(await givenUpAfter(101, () => false)).toBe(1);
});

test('while others wait the required pace doubles with each period, up to sixteen times', async () => {
  expect(await givenUpAfter(30, () => true)).toBe(3);
  expect(await givenUpAfter(6, () => true)).toBeUndefined();
  expect(await givenUpAfter(7, () => true)).toBe(5);
});

test('when no client waits any more, the required pace returns to its base', async () => {
  expect(await givenUpAfter(30, blocks => blocks % 2 === 0)).toBeUndefined();
});
