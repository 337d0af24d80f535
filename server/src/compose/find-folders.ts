// Folders of files and uploads, for the HTTP layer, which limits some callers to one folder.
import { findFilePaths } from '../features/files/index.ts';
import { listUploadsOf } from '../features/upload-sessions/index.ts';
import type { Db } from '../platform/db/tables.ts';
import { ownerOf } from '../platform/http/caller.ts';
import type { FindFolders } from '../platform/http/narrow.ts';

export const openFindFolders =
  (db: Db): FindFolders =>
  async (actor, named) => {
    const owner = ownerOf(actor);
    const uploads = await listUploadsOf(db, owner, named.uploads);
    return {
      files: await findFilePaths(db, owner, named.files),
      uploads: new Map([...uploads].map(([clientId, { path }]) => [clientId, path])),
    };
  };
