// Polling of one value: retries after an outage, permanent errors, wake-up and abort.
import { TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { expect, test } from 'vitest';
import { follow, openWakeUp, type Poll } from './follow.ts';

const gone = () => new TransportError('unreachable', 'no answer');

/** A clock on which every pause ends at once, and that records its length. */
function openClock() {
  const pauses: number[] = [];
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    pauses.push(milliseconds);
  };
  return { pauses, now: () => 0, random: () => 0, sleep };
}

/** Responses of the server, one after the other; Errors are failures. */
async function poll(answers: readonly (string | Error)[], everyMs = 500) {
  const clock = openClock();
  const waiting = [...answers];
  const read = async () => {
    const next = waiting.shift();
    if (next instanceof Error || next === undefined) throw next ?? new Error('asked too often');
    return next;
  };
  const polls: Poll<string>[] = [];
  const { signal } = new AbortController();
  for await (const one of follow({ read, everyMs, signal, wakeUp: openWakeUp(clock) })) {
    polls.push(one);
    if (waiting.length === 0) break;
  }
  return { polls, pauses: clock.pauses };
}

test('an outage is reported and retried with a doubling pause of up to 15 seconds', async () => {
  const { polls, pauses } = await poll(['a', ...Array.from({ length: 5 }, gone), 'b', 'c']);
  expect(polls.map(one => (one.kind === 'seen' ? one.value : one.message))).toEqual([
    'a',
    ...Array.from({ length: 5 }, () => 'no answer'),
    'b',
    'c',
  ]);
  expect(pauses).toEqual([500, 2000, 4000, 8000, 15_000, 15_000, 500]);
});

test('a server that never responded and a permanent error end the polling', async () => {
  await expect(poll([gone(), 'a'])).rejects.toThrow('no answer');
  await expect(poll(['a', new ApiError('PERMISSION_TOKEN_EXPIRED'), 'b'])).rejects.toThrow(ApiError);
});

test('a wake-up skips the pause, and an abort ends the polling', async () => {
  const wakeUp = openWakeUp();
  const leaving = new AbortController();
  let asked = 0;
  const seen = follow({ read: async () => (asked += 1), everyMs: 3_600_000, signal: leaving.signal, wakeUp });
  expect(await seen.next()).toMatchObject({ value: { value: 1 } });
  const second = seen.next();
  wakeUp.trigger();
  expect(await second).toMatchObject({ value: { value: 2 } });
  const third = seen.next();
  leaving.abort(new Error('left'));
  await expect(third).rejects.toThrow('left');
});
