// File records: what is stored, whose it is, and how it is found.
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { feature } from '../../platform/feature.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { fileMigrations } from './migrations.ts';
import { fileRoutes } from './routes.ts';

export { ensureFolders, findFilePaths, lockFolders } from './folder-rows.ts';
export { inFolder, newestLive } from './list-queries.ts';
export { findNamedIn, findTakenNames, takeFreeName } from './names.ts';
export { fileAsJson, getOwnFile, listOwnFiles, withFile } from './own-files.ts';
export {
  type FileRow,
  findFile,
  findFileByHash,
  findFileByOrigin,
  foldFileName,
  listDeletableFiles,
  listFilesByHash,
  listFilesById,
  listFilesByOrigin,
  listFilesOfContent,
  listKeepingFileIds,
  listLiveFileIds,
  listLiveFiles,
  lockLiveFiles,
  markOlderStored,
  type NewFile,
  reserveFileIds,
  updateFile,
  writeStoredFiles,
} from './queries.ts';
export {
  countStored,
  failFile,
  fileIdOf,
  holderOf,
  markStored,
  prepareFile,
  prepareFiles,
  setProofStatus,
  toDay,
} from './record-file.ts';
export { searchFiles } from './search-queries.ts';
export { chainOf, isLive, type StoredFile, toFileViews, toStored } from './views.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Live files of the owner that others can access; implemented by each feature that gives files to others. */
    listSharedFileIds: (db: Db, owner: Owner, now: Time) => Promise<readonly Key[]>;
  }
}

export const files = feature({
  name: 'files',
  layer: 2,
  migrations: fileMigrations,
  open: server => ({ routes: fileRoutes(server) }),
});
