// Common part of the key providers outside this process: a circuit breaker, its failures, and coalesced calls.
// Concurrent wraps or unwraps become one call, so many files cost few round trips. Each key succeeds or fails alone.
import type { KeyObject } from 'node:crypto';
import { CircuitOpenError, CircuitTimeoutError } from '../circuit-breaker.ts';
import { Coalescer, fulfilled } from '../coalescer.ts';
import {
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  toKeyFailure,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';

/** Failures of the provider open the circuit; rejections do not. */
export const keyBreaker = (callTimeoutMs: number) => ({
  isFailure: (error: unknown) =>
    !(error instanceof KeyProviderError) || error.category === 'UNAVAILABLE' || error.category === 'TIMEOUT',
  callTimeoutMs,
  openMs: 10_000,
});

/** Of a call through the circuit breaker; `whom` names the provider, such as "the token". */
export function toCallFailure(error: unknown, whom: string): KeyProviderError {
  if (error instanceof CircuitOpenError)
    return new KeyProviderError('UNAVAILABLE', `${whom} keeps failing and is not called for now`, error);
  if (error instanceof CircuitTimeoutError)
    return new KeyProviderError('TIMEOUT', `${whom} did not answer in time`, error);
  return toKeyFailure(error, whom);
}

/** The result of a batch call for one key. */
export function only<T>([outcome]: readonly Outcome<T>[]): T {
  if (outcome === undefined)
    throw new KeyProviderError('INVALID_RESPONSE', 'the key provider returned no result for the key');
  if (outcome instanceof KeyProviderError) throw outcome;
  return outcome;
}

const toSettledResult = <T>(outcome: Outcome<T>): PromiseSettledResult<T> =>
  outcome instanceof KeyProviderError ? { status: 'rejected', reason: outcome } : fulfilled(outcome);

/** Returns the provider itself if it has no batch call. */
export function coalesceCalls(provider: KeyProvider): KeyProvider {
  const { id, contract, operations, algorithms, many } = provider;
  if (!many) return provider;
  const { mostAtOnce } = many;
  const wraps = new Coalescer<WrapRequest, WrappedKey>({
    most: mostAtOnce,
    run: async requests => (await many.wrap(requests)).map(toSettledResult),
  });
  const unwraps = new Coalescer<UnwrapRequest, KeyObject>({
    most: mostAtOnce,
    run: async requests => (await many.unwrap(requests)).map(toSettledResult),
  });
  return {
    id,
    contract,
    operations,
    algorithms,
    many,
    activeKeyVersion: () => provider.activeKeyVersion(),
    wrap: (dataKey, binding) => wraps.add({ dataKey, binding }),
    unwrap: (wrapped, binding) => unwraps.add({ wrapped, binding }),
  };
}
