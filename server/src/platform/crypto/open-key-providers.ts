// The key providers of this installation: one wraps, all unwrap what they wrapped before. The configuration selects
// them; they are contacted on first use.
import type { CircuitBreakers } from '../circuit-breaker.ts';
import type { Clock } from '../clock.ts';
import type { LogPort } from '../log-port.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { KeyProvider } from './envelope.ts';
import { openLocalKeys } from './local-keys.ts';
import { declareKeyMetrics } from './measured-keys.ts';
import { openPkcs11Keys, type Pkcs11Options } from './pkcs11.ts';
import { coalesceCalls, keyBreaker } from './remote-keys.ts';
import { openTransitKeys, type TransitOptions } from './vault-transit.ts';

export type KeyProviderOptions = {
  /** The provider that wraps new keys. */
  readonly active: 'local' | 'vault-transit' | 'pkcs11';
  readonly vault: TransitOptions | null;
  readonly pkcs11: Pkcs11Options | null;
};

type KeyProviderContext = {
  /** For the local provider; null if it is not used. */
  readonly local: { readonly path: string; readonly createIfMissing: boolean } | null;
  readonly opening: AsyncDisposableStack;
  readonly clock: Clock;
  readonly log: LogPort;
  readonly breakers: CircuitBreakers;
  readonly metrics: Pick<Metrics, 'timer'>;
};

export type KeyProviders = {
  /** Wraps the data keys of files. */
  readonly keyProvider: KeyProvider;
  /** All providers, including the active one; each unwraps what it wrapped. */
  readonly keyProviders: readonly KeyProvider[];
};

export async function openKeyProviders(
  { active, vault, pkcs11 }: KeyProviderOptions,
  context: KeyProviderContext,
): Promise<KeyProviders> {
  const { local, opening, clock, log, breakers, metrics } = context;
  const measured = declareKeyMetrics(metrics);
  const opened: KeyProvider[] = [];
  if (local) opened.push(measured(await openLocalKeys({ ...local, now: () => new Date(clock.now()) })));
  if (vault) {
    // The client ends its calls itself, with a better message.
    const breaker = breakers.add('key-service', keyBreaker(vault.timeoutMs + 1000));
    opened.push(coalesceCalls(measured(opening.use(openTransitKeys(vault, { clock, log, breaker })))));
  }
  if (pkcs11) {
    const breaker = breakers.add('hardware-module', keyBreaker(pkcs11.timeoutMs));
    opened.push(coalesceCalls(measured(opening.use(openPkcs11Keys(pkcs11, breaker)))));
  }
  const keyProvider = opened.find(({ id }) => id === active);
  if (keyProvider === undefined) throw new RangeError(`the key provider ${active} was not opened`);
  return { keyProvider, keyProviders: opened };
}
