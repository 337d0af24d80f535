// Retries, waits, bandwidth limit and progress of transfers, on a clock that only sleeping moves.
import { expect, test } from 'vitest';
import { logout, me } from '../api/auth.ts';
import { type Client, TransportError } from '../api/client.ts';
import { ApiError, storageFull } from '../api/errors.ts';
import { openBandwidth, paced } from './bandwidth.ts';
import { type Clock, HttpBroken, systemClock } from './ports.ts';
import { openProgress, type Progress } from './progress.ts';
import { defaultRetryPolicy as policy, StoreBusy, toWaitMs, withRetries } from './retry.ts';
import { sendDirectPart, type UploadAttempt } from './upload-attempt.ts';
import { openRetryingClient, type Wait } from './wait.ts';

/** Time passes only by sleeping. */
function openClock(): Clock & { slept: number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    random: () => 1,
    sleep: async milliseconds => {
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
}

const signal = new AbortController().signal;

test('pauses double up to a maximum, with jitter in the upper half', () => {
  const waits = (random: number) => [1, 2, 3, 20].map(tries => toWaitMs(new HttpBroken(''), tries, policy, random));
  expect(waits(1)).toEqual([300, 600, 1200, 30_000]);
  expect(waits(0)).toEqual([150, 300, 600, 15_000]);
});

test('Retry-After is respected, plus jitter', () => {
  const busy = new ApiError('RATE_LIMITED', 'wait', { retryAfterSeconds: 40 });
  expect(toWaitMs(busy, 1, policy, 0)).toBe(40_000);
  expect(toWaitMs(new StoreBusy(503, '2'), 1, policy, 1)).toBe(2300);
  expect(toWaitMs(new StoreBusy(503, '2'), 9, policy, 1)).toBe(30_000);
  expect(toWaitMs(new StoreBusy(503, 'Wed, 21 Oct 2026 07:28:00 GMT'), 1, policy, 1)).toBe(300);
});

test('only temporary failures are retried', async () => {
  const tries = async (error: Error): Promise<number> => {
    let count = 0;
    const failing = withRetries({ clock: openClock(), policy, signal }, 'it', async () => {
      count += 1;
      throw error;
    });
    await expect(failing).rejects.toThrow();
    return count;
  };
  for (const kind of ['UNAVAILABLE', 'RATE_LIMITED', 'SYSTEM_BUSY', 'INTERNAL'] as const)
    expect(await tries(new ApiError(kind))).toBe(policy.maxTries);
  expect(await tries(new TransportError('unreachable', 'gone'))).toBe(policy.maxTries);
  for (const kind of ['FORBIDDEN', 'CONFLICT', 'QUOTA_EXCEEDED', 'FILE_UPLOAD_ERROR'] as const)
    expect(await tries(new ApiError(kind))).toBe(1);
  expect(await tries(new ApiError('SERVICE_UNAVAILABLE', 'full', { detail: { reason: storageFull } }))).toBe(1);
  expect(await tries(new TransportError('not-recordproof', 'what is this'))).toBe(1);
  expect(await tries(new TypeError('a bug'))).toBe(1);
  expect(await tries(new ApiError('UNAVAILABLE', 'later', { retryAfterSeconds: 3600 }))).toBe(1);
});

test('a part is not retried when the store of the server is full; another store is busy', async () => {
  const send = async (body: string): Promise<unknown> => {
    let tries = 0;
    const http: Pick<UploadAttempt['http'], 'send'> = {
      send: async () => {
        tries += 1;
        return { status: 503, headers: new Headers(), body: new TextEncoder().encode(body) };
      },
    };
    const run = {
      ...{ plan: { chunkSize: 5, fileSize: 5, totalChunks: 1 }, source: { read: async function* () {} }, http },
      ...{ bandwidth: undefined, meter: { moved: () => undefined }, retry: { clock: openClock(), policy } },
    } as unknown as UploadAttempt;
    const error = await sendDirectPart(run, { index: 0, uploadUrl: 'http://store', headers: {} }, signal).catch(e => e);
    return { tries, message: (error as Error).message };
  };
  const data = { detail: { reason: storageFull } };
  const envelope = { code: 40005, message: 'the storage of this server is full', data };
  expect(await send(JSON.stringify(envelope))).toEqual({ tries: 1, message: envelope.message });
  const busy = { tries: 9, message: expect.stringContaining('the object store answered 503') };
  expect(await send('<Error><Code>SlowDown</Code></Error>')).toEqual(busy);
  expect(await send(JSON.stringify({ ...envelope, data: null }))).toEqual(busy);
});

const full = new ApiError('RATE_LIMITED', 'wait', { retryAfterSeconds: 40, rateLimit: 20 });

test('rate limits are waited for, as often as they occur, and reported each time', async () => {
  const clock = openClock();
  const waits: Wait[] = [];
  let left = 100;
  const work = withRetries({ clock, policy, signal, onWait: wait => waits.push(wait) }, 'it', async () => {
    left -= 1;
    if (left > 0) throw full;
    return 'done';
  });
  expect(await work).toBe('done');
  expect(waits).toHaveLength(99);
  expect(waits[0]).toEqual({ why: 'rate-limit', seconds: 40, perMinute: 20 });
  expect(Math.min(...clock.slept)).toBeGreaterThanOrEqual(40_000);
});

test('a retrying client waits before it repeats a call, and repeats a change only if it was not applied', async () => {
  const clock = openClock();
  const busy = new ApiError('UNAVAILABLE', 'later', { retryAfterSeconds: 5 });
  const failures: ApiError[] = [];
  const answer = async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return new Response();
  };
  const told: Wait[] = [];
  const client = openRetryingClient({ call: answer, open: answer } as unknown as Client, {
    clock,
    onWait: wait => told.push(wait),
  });
  failures.push(full, busy, full);
  await client.call(me);
  expect(told.map(({ why }) => why)).toEqual(['rate-limit', 'busy', 'rate-limit']);
  failures.push(full);
  await client.open(logout);
  failures.push(busy);
  await expect(client.call(logout)).rejects.toBe(busy);
  failures.push(new ApiError('RATE_LIMITED', 'go away', { retryAfterSeconds: 3600 }));
  await expect(client.call(me)).rejects.toThrow('go away');
});

test('a wait can be aborted at once', async () => {
  const stop = new AbortController();
  const client = openRetryingClient({ call: () => Promise.reject(full) } as unknown as Client, {
    clock: systemClock,
    onWait: () => stop.abort(new Error('enough')),
  });
  await expect(client.call(me, { signal: stop.signal })).rejects.toThrow('enough');
});

test('all parts together keep the bandwidth limit, whatever their sizes', async () => {
  const clock = openClock();
  const bandwidth = openBandwidth(1000, clock);
  for (let i = 0; i < 20; i++) await bandwidth.take(i % 2 === 0 ? 900 : 100);
  // 10,000 bytes, of which a quarter of a second's bandwidth came for free.
  expect(clock.now()).toBe(9750);
});

test('a pause is not followed by a burst', async () => {
  const clock = openClock();
  const bandwidth = openBandwidth(1000, clock);
  await clock.sleep(60_000);
  await bandwidth.take(1250);
  expect(clock.slept.at(-1)).toBe(1000);
});

test('a slow bandwidth limit is applied in small pieces, so that a connection is never idle for long', async () => {
  const clock = openClock();
  const block = Uint8Array.from({ length: 10_000 }, (_none, index) => index % 251);
  const blocks = (async function* () {
    yield block.slice();
  })();
  const pieces: Uint8Array[] = [];
  for await (const piece of paced(blocks, openBandwidth(1024, clock), signal, () => undefined)) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(block)).toBe(true);
  expect(Math.max(...clock.slept)).toBeLessThanOrEqual(250);
});

test('paced blocks are counted after they were used', async () => {
  const counted: number[] = [];
  const blocks = (async function* () {
    yield new Uint8Array(3);
    yield new Uint8Array(5);
  })();
  for await (const block of paced(blocks, openBandwidth(1e9, openClock()), signal, bytes => counted.push(bytes)))
    expect(counted).toHaveLength(block.length === 3 ? 0 : 1);
  expect(counted).toEqual([3, 5]);
});

test('progress is reported at intervals, with a rate and the remaining time', async () => {
  const clock = openClock();
  const told: Progress[] = [];
  const meter = openProgress(10_000, clock, progress => told.push(progress));
  meter.enter('sending');
  for (let i = 0; i < 50; i++) {
    await clock.sleep(10);
    meter.moved(100);
  }
  expect(told.length).toBeLessThanOrEqual(6);
  expect(told.at(-1)).toMatchObject({ phase: 'sending', bytesPerSecond: 10_000, totalBytes: 10_000 });
  expect(told.at(-1)?.etaSeconds).toBe(1);
});
