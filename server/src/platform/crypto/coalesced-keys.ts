// Coalesced calls of a key provider that is far away: what is wrapped or unwrapped at the same moment is one call, so that
// many files cost few round trips. Each key succeeds or fails alone.

import type { KeyObject } from 'node:crypto';
import { fulfilled, Together } from '../together.ts';
import {
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  type UnwrapWish,
  type WrappedKey,
  type WrapWish,
} from './envelope.ts';

const settle = <T>(outcome: Outcome<T>): PromiseSettledResult<T> =>
  outcome instanceof KeyProviderError ? { status: 'rejected', reason: outcome } : fulfilled(outcome);

/** Answers the provider itself where it cannot take many keys in one call. */
export function coalesceCalls(provider: KeyProvider): KeyProvider {
  const { id, contract, operations, algorithms, many } = provider;
  if (!many) return provider;
  const { mostAtOnce } = many;
  const wraps = new Together<WrapWish, WrappedKey>({
    most: mostAtOnce,
    run: async wishes => (await many.wrap(wishes)).map(settle),
  });
  const unwraps = new Together<UnwrapWish, KeyObject>({
    most: mostAtOnce,
    run: async wishes => (await many.unwrap(wishes)).map(settle),
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
