// Latency metric of key providers (`app.file.key_wrapping.duration`), by operation and kind of failure.

import { failureCategories } from '@recordproof/shared/api/key-rotation.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type KeyOperation, type KeyProvider, KeyProviderError } from './envelope.ts';

const operations = ['wrap', 'unwrap', 'read-key'] as const satisfies readonly KeyOperation[];

/** Wraps a provider with measurements. One call is one measurement, also for many keys. */
export function declareKeyMetrics(metrics: Pick<Metrics, 'timer'>): (provider: KeyProvider) => KeyProvider {
  const durations = metrics.timer({
    name: 'app.file.key_wrapping.duration',
    help: 'Time that calls of key providers take, in seconds',
    labels: { operation: operations, failure_category: ['NONE', ...failureCategories] },
  });
  return provider =>
    measure(provider, async (operation, work, toFailure) => {
      const since = performance.now();
      const record = (failed: unknown) =>
        durations.observe(
          { operation, failure_category: failed === undefined ? 'NONE' : toCategory(failed) },
          (performance.now() - since) / 1000,
        );
      try {
        const answer = await work();
        record(toFailure?.(answer));
        return answer;
      } catch (error) {
        record(error);
        throw error;
      }
    });
}

type Timed = <T>(
  operation: KeyOperation,
  work: () => Promise<T>,
  toFailure?: (answer: T) => KeyProviderError | undefined,
) => Promise<T>;

const toCategory = (error: unknown) => (error instanceof KeyProviderError ? error.category : 'INTERNAL');

const firstFailure = (outcomes: readonly unknown[]): KeyProviderError | undefined =>
  outcomes.find(outcome => outcome instanceof KeyProviderError);

function measure(provider: KeyProvider, timed: Timed): KeyProvider {
  const { id, contract, operations: able, algorithms, many } = provider;
  return {
    id,
    contract,
    operations: able,
    algorithms,
    activeKeyVersion: () => timed('read-key', () => provider.activeKeyVersion()),
    wrap: (dataKey, binding) => timed('wrap', () => provider.wrap(dataKey, binding)),
    unwrap: (wrapped, binding) => timed('unwrap', () => provider.unwrap(wrapped, binding)),
    ...(many && {
      many: {
        mostAtOnce: many.mostAtOnce,
        wrap: requests => timed('wrap', () => many.wrap(requests), firstFailure),
        unwrap: requests => timed('unwrap', () => many.unwrap(requests), firstFailure),
      },
    }),
  };
}
