import type { Config } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Signing } from './signing.ts';
import type { SoundProofs } from './sound-proofs.ts';

export type ProofPorts = {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signing: Signing;
  readonly sound: SoundProofs;
  /** How long somebody who asks too early is told to wait. */
  readonly attestation: Pick<Config['attestation'], 'enabled' | 'minBatchSize' | 'pollMs'>;
};
