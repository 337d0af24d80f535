// The cryptographic policy of a server without a setting for it.
import { openCryptoPolicies, openSuites } from '@recordproof/server/features/crypto-policy/index.ts';
import type { Clock } from '@recordproof/server/platform/clock.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { openMetrics } from '@recordproof/server/platform/telemetry/metrics.ts';

type PolicyContext = { readonly database: { readonly db: Db }; readonly clock: Clock };

export const openDefaultSuites = (clock: Clock) =>
  openSuites({ metrics: openMetrics(), clock, config: { suites: {} } });

export const openDefaultPolicies = ({ database, clock }: PolicyContext) => ({
  suites: openDefaultSuites(clock),
  cryptoPolicies: openCryptoPolicies({ database, clock, keyProvider: { id: 'local', contract: 1 } }),
});
