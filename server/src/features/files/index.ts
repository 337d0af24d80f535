// File records: what is stored, whose it is, how it is found, read and deleted, and what it uses up.
export { fileMigrations } from './migrations.ts';
export {
  type FileRow,
  findFile,
  findFileByHash,
  foldFileName,
  lockVersionChain,
  type NewFile,
} from './queries.ts';
export { checkQuota, type Quota } from './quota.ts';
export { failFile, prepareFile, type StoredEvidence, type StoreResult, storeFile } from './record-file.ts';
export { isLive, toFileView, toFileViews } from './views.ts';
