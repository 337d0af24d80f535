// File records: what is stored, whose it is, how it is found, read and deleted, and what it uses up.
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { feature } from '../../platform/feature.ts';
import { expireDeletedFiles, expiryJobKind } from './delete-file.ts';
import { deleteFilesOfOwner, enqueueDeletionOfFiles } from './delete-files-of-owner.ts';
import type { Governance } from './download-metadata.ts';
import { Downloads } from './downloads.ts';
import { fileMigrations } from './migrations.ts';
import type { FileRow } from './queries.ts';
import { fileRoutes, type Owner } from './routes.ts';

export { fileAsJson } from './beside-session.ts';
export { deleteFile, fileIdOf, holderOf, purgeFile } from './delete-file.ts';
export { deleteLiveFiles } from './delete-files-of-owner.ts';
export {
  damageFound,
  deliveredBytes,
  downloadContent,
  type FoundDamage,
  openWhole,
  type Recipient,
} from './download.ts';
export { type Governance, toDownloadMetadata } from './download-metadata.ts';
export { ensureFolders, lockFolders } from './folder-rows.ts';
export { newestLive } from './list-queries.ts';
export { findNamedIn, findTakenNames, takeFreeName } from './names.ts';
export { findFilePaths } from './path-queries.ts';
export {
  type FileRow,
  findFile,
  findFileByHash,
  findFileByOrigin,
  foldFileName,
  holdLiveFiles,
  listFilesByHash,
  listFilesById,
  listFilesByOrigin,
  listFilesOfContent,
  listKeepingFileIds,
  listLiveFileIds,
  listLiveFiles,
  type NewFile,
  reserveFileIds,
  settleOlder,
  writeSettled,
} from './queries.ts';
export { checkQuota, type Quota } from './quota.ts';
export { isUnchanged, toAttachment } from './ranges.ts';
export { ContentDamaged, parseManifestOf, readContent } from './read-content.ts';
export {
  countStored,
  failFile,
  markStored,
  prepareFile,
  prepareFiles,
  setProofStatus,
  toDay,
} from './record-file.ts';
export { bringBack, type Restoring, restoreFile } from './restore-file.ts';
export { searchFiles } from './search-queries.ts';
export { trashChains } from './trash-chains.ts';
export { fromTrashUse, trashStates } from './trash-use.ts';
export { findUsage, listUsageOfTenants, wholeTenant } from './usage-queries.ts';
export { dethrone, lockVersionChain, lockVersionChains } from './version-chain.ts';
export { isLive, toFileView, toFileViews } from './views.ts';
export { toZipMembers } from './zip-members.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Download counts per day. */
    readonly downloads: Downloads;
  }
}

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Live files of the owner that others can access; implemented by each feature that gives files to others. */
    listSharedFileIds: (db: Db, owner: Owner, now: Time) => Promise<readonly Key[]>;
    /** Its stored bytes are given up; what was made of them goes, too. */
    filePurged: (tx: Tx, file: FileRow) => Promise<void>;
    /** The archive of the file's proof; null where none is issued. */
    findProofArchive: (file: FileRow) => Promise<Uint8Array | null>;
    /** The backfill verdict on a file without a manifest; null if it was not examined. */
    findGovernance: (db: Db, tenantId: Key, fileId: Key) => Promise<Governance | null>;
  }
}

export const files = feature({
  name: 'files',
  floor: 2,
  migrations: fileMigrations,
  provide: (platform, opening) => ({ downloads: opening.use(new Downloads(platform)) }),
  open: server => ({
    routes: fileRoutes(server),
    jobs: [expireDeletedFiles(server), deleteFilesOfOwner(server)],
    hooks: {
      accountDeleted: async (tx, { tenant_id: tenantId, id: ownerId }, choice, now) => {
        if (choice === 'delete') await enqueueDeletionOfFiles(tx, { tenantId, ownerId }, now);
      },
    },
    schedules: [{ name: 'files-expiry', everySeconds: 60, jobKind: expiryJobKind }],
  }),
});
