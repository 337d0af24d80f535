// The chain of records behind every file.
export { chainMigrations } from './migrations.ts';
export { type ChainRecord, type FileEvidence, findFileRecord, recordFile, toFileHash } from './record-file.ts';
