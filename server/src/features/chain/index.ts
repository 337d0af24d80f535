// The chain of records behind every file.
export {
  type BatchRoot,
  ChainError,
  type ChainFailure,
  type ChainPort,
  type RecordedRoot,
} from './chain-port.ts';
export { openEmbeddedChain } from './embedded-chain.ts';
export { chainMigrations } from './migrations.ts';
export { type ChainRecord, type FileEvidence, findFileRecord, recordFile, toFileHash } from './record-file.ts';
