// Folders of files and uploads, for the HTTP layer, which limits some callers to one folder.
import { findFilePaths } from '../features/files/index.ts';
import { findUploadPaths } from '../features/upload-sessions/index.ts';
import type { Db } from '../platform/db/tables.ts';
import type { FindFolders } from '../platform/http/narrow.ts';

export const openFindFolders =
  (db: Db): FindFolders =>
  async ({ tenantId, userId: ownerId }, named) => ({
    files: await findFilePaths(db, { tenantId, ownerId }, named.files),
    uploads: await findUploadPaths(db, { tenantId, ownerId }, named.uploads),
  });
