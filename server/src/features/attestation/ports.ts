import type { Config } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { ChainPort } from '../chain/index.ts';
import type { AttestationMetrics } from './metrics.ts';

export type AttestationLimits = Config['attestation'];

export type AttestationPorts = {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly chain: ChainPort;
  readonly limits: AttestationLimits;
  readonly metrics: AttestationMetrics;
};
