// Coalesced calls to a remote key provider: concurrent wraps or unwraps become one call, so many files cost few round
// trips. Each key succeeds or fails alone.

import type { KeyObject } from 'node:crypto';
import { Coalescer, fulfilled } from '../coalescer.ts';
import {
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';

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
