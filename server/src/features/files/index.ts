// File records: what is stored, whose it is, how it is found, read and deleted, and what it uses up.
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { feature } from '../../platform/feature.ts';
import { expireDeletedFiles, expiryJobKind } from './delete-file.ts';
import { deleteFilesOfOwner, enqueueDeletionOfFiles } from './delete-files-of-owner.ts';
import type { Governance } from './download-metadata.ts';
import { Downloads } from './downloads.ts';
import { fileMigrations } from './migrations.ts';
import { fileRoutes, type Owner } from './routes.ts';

export { deleteFile, fileIdOf, holderOf, markDeleted } from './delete-file.ts';
export {
  damageFound,
  deliveredBytes,
  downloadContent,
  type FoundDamage,
  openWhole,
  type Recipient,
} from './download.ts';
export { type Governance, toDownloadMetadata } from './download-metadata.ts';
export {
  type FileRow,
  findFile,
  findFileByHash,
  findFileByOrigin,
  foldFileName,
  holdLiveFiles,
  listFilesById,
  listFilesByOrigin,
  listFilesOfContent,
  listKeepingFileIds,
  listLiveFileIds,
  listLiveFiles,
  type NewFile,
  reserveFileIds,
  settleOlder,
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
  settleCounted,
  toDay,
} from './record-file.ts';
export { restoreFile } from './restore-file.ts';
export { searchFiles } from './search-queries.ts';
export { findUsage, wholeTenant } from './usage-queries.ts';
export { dethrone, lockVersionChain, lockVersionChains } from './version-chain.ts';
export { isLive, toFileView, toFileViews } from './views.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** How many there are today. */
    readonly downloads: Downloads;
  }
}

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Live files of the owner that somebody else can reach; from each feature that gives files to others. */
    listSharedFileIds: (db: Db, owner: Owner, now: Time) => Promise<readonly Key[]>;
    /** What was found of a file that has no manifest; null where nobody has looked. */
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
