// The chain of records behind every file: the embedded ledger, and the contract where batch roots are anchored.
import type { Feature } from '../../platform/feature.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Chains } from './chains.ts';
import { chainRoutes } from './routes.ts';

export {
  type BatchRoot,
  ChainError,
  type ChainFailure,
  type ChainPort,
  type RecordedRoot,
  type RootToSubmit,
} from './chain-port.ts';
export type { Chains } from './chains.ts';
export { deployContract } from './evm/deploy-contract.ts';
export {
  type ChainRecord,
  type FileEvidence,
  type FileRecords,
  openLedgerRecords,
  type RecordToWrite,
  toFileHash,
} from './file-records.ts';
export { type Ledger, type LedgerPorts, openLedger } from './ledger/ledger.ts';
export { toPublicBytes } from './ledger/ledger-key.ts';
export { findHighestBatch, findLog, isBatchOnLedger } from './ledger/queries.ts';
export { repairTiles, restoreTiles } from './ledger/recover-ledger.ts';
export { LedgerDamaged } from './ledger/tile-store.ts';
export { type LedgerReport, verifyLedger } from './ledger/verify-ledger.ts';
export { chainMigrations } from './migrations.ts';
export { openChains } from './open-chains.ts';
export { recordPatiently, runPastChain, toRetrySeconds } from './record-patiently.ts';

const publishJobKind = 'ledger.publish';

export const chain = (chains: Chains): Feature => ({
  name: 'chain',
  routes: chainRoutes(chains),
  jobs: [publishJob(chains)],
  schedules: [{ name: publishJobKind, everySeconds: 30, jobKind: publishJobKind }],
});

/** For entries whose server died, or whose object store was away, before they were published. */
const publishJob = ({ ledger }: Chains): JobHandler => ({
  kind: publishJobKind,
  leaseSeconds: 60,
  maxAttempts: 100,
  backoffSeconds: exponentialBackoff(1, 300),
  run: () => ledger.publish(),
});
