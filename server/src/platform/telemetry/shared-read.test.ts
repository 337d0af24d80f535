// Shared reading of a value: concurrent calls, expiry, failures, hanging reads, and clock changes.
import { expect, test } from 'vitest';
import { movableClock } from '../../../../test/support/clock.ts';
import { openSharedRead, ReadTimeout } from './shared-read.ts';

const limits = { keepMs: 1000, timeoutMs: 2000 };

test('concurrent calls share one reading', async () => {
  let readings = 0;
  const read = openSharedRead(async () => ++readings, { clock: movableClock(), ...limits });
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
});

test('a result is kept for its time and then read again', async () => {
  const clock = movableClock();
  let readings = 0;
  const read = openSharedRead(() => ++readings, { clock, ...limits });
  expect(await read()).toBe(1);
  clock.advance(999);
  expect(await read()).toBe(1);
  clock.advance(1);
  expect(await read()).toBe(2);
});

test('a failure is kept for the same time', async () => {
  const clock = movableClock();
  let readings = 0;
  const read = openSharedRead(
    () => {
      readings += 1;
      throw new Error('broken');
    },
    { clock, ...limits },
  );
  await expect(read()).rejects.toThrow('broken');
  await expect(read()).rejects.toThrow('broken');
  expect(readings).toBe(1);
  clock.advance(1000);
  await expect(read()).rejects.toThrow('broken');
  expect(readings).toBe(2);
});

test('a reading that hangs is aborted, and not started again while it hangs', async () => {
  const clock = movableClock();
  const signals: AbortSignal[] = [];
  const read = openSharedRead(
    signal => {
      signals.push(signal);
      return new Promise(() => {});
    },
    { clock, keepMs: 1, timeoutMs: 5 },
  );
  await expect(read()).rejects.toThrow(ReadTimeout);
  expect(signals[0]?.aborted).toBe(true);
  clock.advance(10);
  await expect(read()).rejects.toThrow(ReadTimeout);
  expect(signals).toHaveLength(1);
  clock.advance(20);
  await expect(read()).rejects.toThrow(ReadTimeout);
  expect(signals).toHaveLength(2);
});

test('a clock that is set back does not keep a result forever', async () => {
  const clock = movableClock();
  let readings = 0;
  const read = openSharedRead(() => ++readings, { clock, ...limits });
  await read();
  clock.advance(-3_600_000);
  expect(await read()).toBe(2);
});
