// Signed proofs of stored file versions: issued once, exported as the same bytes for ever, and what is known of them now.
import type { Config } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Feature } from '../../platform/feature.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { issueBatch, issueOnCompletion } from './issue-proof.ts';
import type { ProofPorts } from './ports.ts';
import { proofRoutes } from './routes.ts';
import { openSigning } from './signing.ts';
import { openLocalSigningKeys } from './signing-keys.ts';
import { SoundProofs } from './sound-proofs.ts';

export { supersedeOlder } from './change-status.ts';
export { proofMigrations } from './migrations.ts';
export { findKey, listKeys, type ProofKeyRow } from './queries.ts';
export { toIssuerKey } from './routes.ts';
export { type LocalSigningKeys, openLocalSigningKeys } from './signing-keys.ts';

type Ports = {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly attestation: Config['attestation'];
  readonly keysFolder: string;
};

export function proofs({ metrics, keysFolder, ...rest }: Ports): Feature {
  const { db } = rest.database;
  const keys = openLocalSigningKeys({ db, folder: keysFolder, now: () => rest.clock.now() });
  const ports: ProofPorts = { ...rest, signing: openSigning(keys, db, metrics), sound: new SoundProofs() };
  return {
    name: 'proofs',
    routes: proofRoutes(ports),
    jobs: [issueBatch(ports)],
    consumers: [issueOnCompletion],
  };
}
