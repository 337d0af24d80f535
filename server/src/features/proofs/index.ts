// Signed proofs of stored file versions: issued once, exported with permanently identical bytes, with a current status.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { feature } from '../../platform/feature.ts';
import { supersedeOlder } from './change-status.ts';
import { openCheckProof } from './check-proof.ts';
import { findArchive } from './export-proof.ts';
import { issueBatch, issueOnCompletion } from './issue-proof.ts';
import { recordSigningKeys } from './ledger-entries.ts';
import { proofMigrations } from './migrations.ts';
import { proofRoutes } from './routes.ts';
import { openSigning, type Signing } from './signing.ts';
import { openLocalSigningKeys } from './signing-keys.ts';

export { openCheckProof } from './check-proof.ts';
export { exportProof, getProof, writeArchive } from './export-proof.ts';
export { findIssuedEntry } from './ledger-entries.ts';
export type { Proven } from './proven-queries.ts';
export { findKey, findProof, listKeys, listKeysOfFiles, lockActiveKey, type ProofKeyRow } from './queries.ts';
export { openGetProven, toIssuerKey } from './routes.ts';
export { isSignedByKey, openSigning, type Proving, toProofKey } from './signing.ts';
export {
  type LocalSigningKeys,
  listSigningKeyFiles,
  openLocalSigningKeys,
  type SigningKeyFile,
} from './signing-keys.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Signs proofs, and has every public key that was ever used. */
    readonly signing: Signing;
    /**
     * Fingerprints of the stored values with which proofs were verified, so that a repeated check reads them without
     * rebuilding the proof.
     */
    readonly soundProofs: BoundedMap<string, string>;
  }
}

const rememberedProofs = 10_000;

export const proofs = feature({
  name: 'proofs',
  layer: 4,
  migrations: proofMigrations,
  provide: async platform => {
    const { database, clock, config } = platform;
    const keys = openLocalSigningKeys({ db: database.db, folder: config.keysFolder, clock });
    await keys.current(); // a missing or wrong key file stops the start
    await database.db.transaction().execute(tx => recordSigningKeys(tx, clock));
    return { signing: openSigning(platform, keys), soundProofs: new BoundedMap(rememberedProofs) };
  },
  open: server => ({
    routes: proofRoutes(server),
    jobs: [issueBatch(server)],
    consumers: [issueOnCompletion],
    hooks: {
      versionsStored: (tx, newest, now) => supersedeOlder(server, tx, newest, now),
      findProofArchive: file => findArchive(server, file),
      checkProof: openCheckProof(server),
    },
  }),
});
