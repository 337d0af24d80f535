// File records: what is stored, whose it is, how it is found, read and deleted, and what it uses up.
import type { Feature } from '../../platform/feature.ts';
import { expireDeletedFiles, expiryJobKind } from './delete-file.ts';
import { type FilePorts, fileRoutes } from './routes.ts';

export { holderOf, markDeleted } from './delete-file.ts';
export { type ContentPorts, deliversBytes, downloadContent, type Reader, type Recipient } from './download.ts';
export { fileMigrations } from './migrations.ts';
export {
  type FileRow,
  findFile,
  findFileByHash,
  foldFileName,
  holdLiveFiles,
  listLiveFiles,
  lockVersionChain,
  type NewFile,
} from './queries.ts';
export { checkQuota, type Quota } from './quota.ts';
export { isUnchanged, toAttachment } from './ranges.ts';
export {
  failFile,
  prepareFile,
  type StoredEvidence,
  type StoreResult,
  setProofStatus,
  storeFile,
} from './record-file.ts';
export type { FilePorts } from './routes.ts';
export { isLive, toFileView, toFileViews } from './views.ts';

export const files = (ports: FilePorts): Feature => ({
  name: 'files',
  routes: fileRoutes(ports),
  jobs: [expireDeletedFiles(ports, ports.retentionDays)],
  schedules: [{ name: 'files-expiry', everySeconds: 3600, jobKind: expiryJobKind }],
});
