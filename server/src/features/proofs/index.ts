// Signed proofs of stored file versions: issued once, exported as the same bytes for ever, and what is known of them now.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { feature } from '../../platform/feature.ts';
import { supersedeOlder } from './change-status.ts';
import { issueBatch, issueOnCompletion } from './issue-proof.ts';
import { recordSigningKeys } from './ledger-entries.ts';
import { proofMigrations } from './migrations.ts';
import { proofRoutes } from './routes.ts';
import { openSigning, type Signing } from './signing.ts';
import { openLocalSigningKeys } from './signing-keys.ts';

export { exportProof, getProof, writeArchive } from './export-proof.ts';
export { findIssuedEntry } from './ledger-entries.ts';
export { findKey, findProof, listKeys, type ProofKeyRow } from './queries.ts';
export { getProvenFile, toIssuerKey } from './routes.ts';
export { isSignedByKey, type Proving, toProofKey } from './signing.ts';
export { type LocalSigningKeys, openLocalSigningKeys } from './signing-keys.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Signs proofs, and knows every key that ever did. */
    readonly signing: Signing;
    /** Over which stored values a proof was found sound: asking again costs reading them, not rebuilding it. */
    readonly soundProofs: BoundedMap<string, string>;
  }
}

const rememberedProofs = 10_000;

export const proofs = feature({
  name: 'proofs',
  floor: 4,
  migrations: proofMigrations,
  provide: async platform => {
    const { database, clock, config } = platform;
    const keys = openLocalSigningKeys({ db: database.db, folder: config.keysFolder, clock });
    await keys.current(); // a key file that is missing or not our own stops the start
    await database.db.transaction().execute(tx => recordSigningKeys(tx, clock));
    return { signing: openSigning(platform, keys), soundProofs: new BoundedMap(rememberedProofs) };
  },
  open: server => ({
    routes: proofRoutes(server),
    jobs: [issueBatch(server)],
    consumers: [issueOnCompletion],
    hooks: { versionsStored: (tx, newest, now) => supersedeOlder(server, tx, newest, now) },
  }),
});
