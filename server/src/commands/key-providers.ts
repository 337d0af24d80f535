// The key providers of an installation, for commands that open its files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { hasEnvelopes } from '../features/envelopes/index.ts';
import { CircuitBreakers } from '../platform/circuit-breaker.ts';
import { systemClock } from '../platform/clock.ts';
import { masterKeyFile } from '../platform/crypto/local-keys.ts';
import { type KeyProviders, openKeyProviders } from '../platform/crypto/open-key-providers.ts';
import type { Db } from '../platform/db/tables.ts';
import { silentLog } from '../platform/telemetry/log.ts';
import { openMetrics } from '../platform/telemetry/metrics.ts';

/**
 * Those of the settings, and the local one where it has a key file or envelopes. Null before the first start, which
 * makes the local master key. `opening` closes them.
 */
export async function openProvidersOf(
  config: Config,
  db: Db | null,
  opening: AsyncDisposableStack,
): Promise<KeyProviders | null> {
  const path = join(config.keysFolder, masterKeyFile);
  const needsLocal = existsSync(path) || (db !== null && (await hasEnvelopes(db, 'local')));
  if (!needsLocal && config.keyProviders.active === 'local') return null;
  return await openKeyProviders(config.keyProviders, {
    local: needsLocal ? { path, createIfMissing: false } : null,
    opening,
    clock: systemClock,
    log: silentLog,
    breakers: new CircuitBreakers(systemClock),
    metrics: openMetrics(),
  });
}
