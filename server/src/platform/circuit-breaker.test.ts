// The circuit breaker: opening by failure rate, half-open probes, timeouts, clock changes and the registry.
import { expect, test } from 'vitest';
import { CircuitBreaker, CircuitBreakers, CircuitOpenError, CircuitTimeoutError } from './circuit-breaker.ts';

const movableClock = () => {
  let nowMs = 1_000_000;
  return {
    now: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
};

const options = { windowCalls: 4, minimumCalls: 4, failureRateThreshold: 50, openMs: 1000, halfOpenCalls: 2 };

const openBreaker = (more: Partial<ConstructorParameters<typeof CircuitBreaker>[2]> = {}) => {
  const clock = movableClock();
  return { clock, breaker: new CircuitBreaker('store', clock, { ...options, ...more }) };
};

const succeed = (breaker: CircuitBreaker) => breaker.run(async () => 'ok');
const fail = (breaker: CircuitBreaker) =>
  breaker
    .run(async () => {
      throw new Error('down');
    })
    .catch((error: Error) => error);

const failTimes = async (breaker: CircuitBreaker, times: number) => {
  for (let i = 0; i < times; i++) await fail(breaker);
};

test('calls below the minimum number never open the circuit', async () => {
  const { breaker } = openBreaker();
  await failTimes(breaker, 3);
  expect(breaker.view()).toEqual({
    name: 'store',
    state: 'CLOSED',
    failureRate: -1,
    bufferedCalls: 3,
    failedCalls: 3,
    notPermittedCalls: 0,
  });
});

test('the circuit opens at its failure rate and then rejects calls without making them', async () => {
  const { breaker } = openBreaker();
  await succeed(breaker);
  await succeed(breaker);
  await failTimes(breaker, 2);
  let called = false;
  const rejection = await breaker
    .run(async () => {
      called = true;
    })
    .catch((error: unknown) => error);
  expect(called).toBe(false);
  expect(rejection).toBeInstanceOf(CircuitOpenError);
  expect(rejection).toMatchObject({ breaker: 'store', retryAfterMs: 1000 });
  expect(breaker.view()).toMatchObject({ state: 'OPEN', failureRate: 50, failedCalls: 2, notPermittedCalls: 1 });
});

test('only the calls in the window are counted', async () => {
  const { breaker } = openBreaker();
  await failTimes(breaker, 1);
  for (let i = 0; i < 4; i++) await succeed(breaker);
  await failTimes(breaker, 1);
  expect(breaker.view()).toMatchObject({ state: 'CLOSED', failureRate: 25, bufferedCalls: 4 });
});

test('successful probes after the open time close the circuit', async () => {
  const { breaker, clock } = openBreaker();
  await failTimes(breaker, 4);
  clock.advance(999);
  expect(breaker.view().state).toBe('OPEN');
  clock.advance(1);
  expect(breaker.view().state).toBe('HALF_OPEN');
  await succeed(breaker);
  expect(breaker.view().state).toBe('HALF_OPEN');
  await succeed(breaker);
  expect(breaker.view()).toMatchObject({ state: 'CLOSED', bufferedCalls: 0, notPermittedCalls: 0 });
});

test('a failing probe opens the circuit for another full period', async () => {
  const { breaker, clock } = openBreaker();
  await failTimes(breaker, 4);
  clock.advance(1000);
  await fail(breaker);
  await fail(breaker);
  expect(breaker.view().state).toBe('OPEN');
  clock.advance(999);
  expect(await fail(breaker)).toBeInstanceOf(CircuitOpenError);
});

test('a half-open circuit admits only its probes, and replaces probes that never return', async () => {
  const { breaker, clock } = openBreaker();
  await failTimes(breaker, 4);
  clock.advance(1000);
  const forgotten = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const probes = forgotten.map(({ promise }) => breaker.run(() => promise));
  expect(await fail(breaker)).toBeInstanceOf(CircuitOpenError);
  clock.advance(1000);
  expect(await succeed(breaker)).toBe('ok');
  for (const { reject } of forgotten) reject(new Error('far too late'));
  await Promise.allSettled(probes);
  expect(await succeed(breaker)).toBe('ok');
  expect(breaker.view().state).toBe('CLOSED');
});

test('a clock that is set back does not keep the circuit open', async () => {
  const { breaker, clock } = openBreaker();
  await failTimes(breaker, 4);
  expect(breaker.view().state).toBe('OPEN');
  clock.advance(-3_600_000);
  expect(breaker.view().state).toBe('HALF_OPEN');
  expect(await succeed(breaker)).toBe('ok');
});

test('with one deciding call, the first successful probe closes the circuit', async () => {
  const { breaker, clock } = openBreaker({ halfOpenCalls: 3, decidingCalls: 1 });
  await failTimes(breaker, 4);
  clock.advance(1000);
  await Promise.all([succeed(breaker), succeed(breaker)]);
  expect(breaker.view().state).toBe('CLOSED');
  await failTimes(breaker, 4);
  clock.advance(1000);
  await fail(breaker);
  expect(breaker.view().state).toBe('OPEN');
});

test('a call that began before the circuit opened is not counted as a probe', async () => {
  const { breaker, clock } = openBreaker();
  const slow = Promise.withResolvers<string>();
  const early = breaker.run(() => slow.promise);
  await failTimes(breaker, 4);
  clock.advance(1000);
  await succeed(breaker);
  slow.reject(new Error('old news'));
  await expect(early).rejects.toThrow('old news');
  await succeed(breaker);
  expect(breaker.view().state).toBe('CLOSED');
});

test('an error that is not a failure of the service is rethrown and counted as a success', async () => {
  const { breaker } = openBreaker({ isFailure: error => !(error instanceof RangeError) });
  for (let i = 0; i < 4; i++) {
    await expect(breaker.run(() => Promise.reject(new RangeError('not found')))).rejects.toThrow('not found');
  }
  expect(breaker.view()).toMatchObject({ state: 'CLOSED', failureRate: 0, bufferedCalls: 4 });
});

test('a call that throws instead of rejecting counts as a failure', async () => {
  const { breaker } = openBreaker();
  const thrower = () => {
    throw new Error('at once');
  };
  await expect(breaker.run(thrower)).rejects.toThrow('at once');
  expect(breaker.view().failedCalls).toBe(1);
});

test('a call past its timeout fails, is counted, and gets its signal aborted', async () => {
  const { breaker } = openBreaker({ callTimeoutMs: 5 });
  let aborted: AbortSignal | undefined;
  const call = breaker.run(signal => {
    aborted = signal;
    return new Promise<never>(() => {});
  });
  await expect(call).rejects.toBeInstanceOf(CircuitTimeoutError);
  expect(aborted?.aborted).toBe(true);
  expect(breaker.view().failedCalls).toBe(1);
});

test('the registry lists every breaker and rejects a duplicate name', async () => {
  const breakers = new CircuitBreakers(movableClock());
  await fail(breakers.add('s3', options));
  breakers.add('chain');
  expect(breakers.list().map(({ name, failedCalls }) => [name, failedCalls])).toEqual([
    ['s3', 1],
    ['chain', 0],
  ]);
  expect(() => breakers.add('s3')).toThrow('exists already');
});

test('invalid settings are rejected', () => {
  const clock = movableClock();
  for (const bad of [
    { windowCalls: 2, minimumCalls: 3 },
    { failureRateThreshold: 0 },
    { failureRateThreshold: 101 },
    { halfOpenCalls: 0 },
    { decidingCalls: 4 },
  ]) {
    expect(() => new CircuitBreaker('x', clock, bad)).toThrow(RangeError);
  }
});
