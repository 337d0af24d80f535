// Chains of records: the embedded ledger for files, and the contract in which batch roots are anchored.
import type { ChainStatus } from '@recordproof/shared/api/chain.ts';
import { toIso } from '../../platform/clock.ts';
import { feature } from '../../platform/feature.ts';
import type { HealthProbe } from '../../platform/health.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import type { ChainPort } from './chain-port.ts';
import type { FileRecords } from './file-records.ts';
import type { Ledger } from './ledger/ledger.ts';
import { getLog } from './ledger/queries.ts';
import { rivalRemedy } from './ledger/writer-fence.ts';
import { chainMigrations } from './migrations.ts';
import { openChains } from './open-chains.ts';
import { chainRoutes } from './routes.ts';

export {
  type BatchRoot,
  ChainError,
  type ChainFailure,
  type ChainPort,
  type RecordedRoot,
  type RootToSubmit,
} from './chain-port.ts';
export { deployContract } from './evm/deploy-contract.ts';
export {
  type ChainRecord,
  type FileEvidence,
  type FileRecords,
  findLedgerRecord,
  openLedgerRecords,
  type RecordsWithin,
  type RecordToWrite,
  toFileHash,
} from './file-records.ts';
export { findClockProblem, recordWithin } from './ledger/append-entries.ts';
export { checkLeafHash } from './ledger/entry-tiles.ts';
export { type Ledger, type LedgerOptions, openLedger } from './ledger/ledger.ts';
export {
  deriveSeed,
  isSignedByLedger,
  toNoteSigner,
  toPostQuantumSigner,
  toPublicBytes,
  verifyEd25519,
} from './ledger/ledger-key.ts';
export {
  type CheckpointRow,
  findCheckpoint,
  findHighestBatch,
  findLog,
  findNewestCheckpoint,
  findTimeSteps,
  isBatchOnLedger,
  keepNewestCheckpoint,
  listEntriesAbout,
  listEntriesUnder,
  lockEnd,
  positionOf,
} from './ledger/queries.ts';
export { findSeenCheckpoint, repairTiles, restoreTiles } from './ledger/recover-ledger.ts';
export { LedgerDamaged, ledgerArea } from './ledger/tile-store.ts';
export { type LedgerReport, verifyLedger } from './ledger/verify-ledger.ts';
export { findRival, findWriter, rivalRemedy, type WriterRecord, type WriterState } from './ledger/writer-fence.ts';
export { type Chains, openChains } from './open-chains.ts';
export { recordWithRetry, runThroughRecording, toRetrySeconds } from './record-with-retry.ts';

const publishJobKind = 'ledger.publish';

declare module '../../platform/server.ts' {
  interface Server {
    readonly ledger: Ledger;
    /** The chain for new batch roots. */
    readonly chain: ChainPort;
    /** All chains that may hold roots: those from before a contract was configured stay on the ledger. */
    readonly chains: readonly ChainPort[];
    /** The chain for file records. */
    readonly records: FileRecords;
    /** Status of the chain for batch roots. */
    readonly readChainStatus: () => Promise<ChainStatus>;
  }
}

export const chain = feature({
  name: 'chain',
  layer: 1,
  migrations: chainMigrations,
  provide: async (platform, opening) => {
    const chains = await openChains(platform);
    opening.use(chains.ledger);
    return chains;
  },
  open: server => ({
    routes: chainRoutes(server),
    jobs: [publishJob(server)],
    health: [ledgerProbe(server)],
    schedules: [{ name: publishJobKind, everySeconds: 30, jobKind: publishJobKind }],
  }),
});

/** DOWN while another database writes the ledger, or this one has lost commits: nothing is recorded then. */
const ledgerProbe = ({ ledger }: Pick<Server, 'ledger'>): HealthProbe => ({
  name: 'ledger',
  check: async () => {
    const { fenced_at: fencedAt } = await getLog(ledger.db);
    if (fencedAt === null) return { status: 'UP', details: {} };
    const error = (await ledger.findWriterProblem().catch(() => null)) ?? rivalRemedy;
    return { status: 'DOWN', details: { fencedAt: toIso(fencedAt), error } };
  },
});

/** Publishes entries left unpublished by a server crash or an unreachable object store. */
const publishJob = ({ ledger }: Pick<Server, 'ledger'>): JobHandler => ({
  kind: publishJobKind,
  leaseSeconds: 60,
  maxAttempts: 100,
  backoffSeconds: exponentialBackoff(1, 300),
  run: async () => {
    await ledger.renewWriter();
    await ledger.publish();
  },
});
