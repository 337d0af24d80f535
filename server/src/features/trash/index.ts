// The trash of an owner, and the deletion of files: hidden at once, bytes purged after the retention period.
import type { Tx } from '../../platform/db/tables.ts';
import { feature } from '../../platform/feature.ts';
import type { FileRow } from '../files/index.ts';
import { expireDeletedFiles, expiryJobKind } from './delete-file.ts';
import { deleteFilesOfOwner, enqueueDeletionOfFiles } from './delete-files-of-owner.ts';
import { trashRoutes } from './routes.ts';

export { trashChains } from './change-trash.ts';
export { deleteFile } from './delete-file.ts';
export { deleteLiveFiles } from './delete-files-of-owner.ts';
export { restoreFile } from './restore-file.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Runs when its stored bytes are purged: deletes data derived from them. */
    filePurged: (tx: Tx, file: FileRow) => Promise<void>;
    /** Runs before deleted files of one owner come back: what gave others access to them stays ended. */
    filesRestored: (tx: Tx, files: readonly FileRow[]) => Promise<void>;
  }
}

export const trash = feature({
  name: 'trash',
  layer: 2,
  open: server => ({
    routes: trashRoutes(server),
    jobs: [expireDeletedFiles(server), deleteFilesOfOwner(server)],
    hooks: {
      accountDeleted: async (tx, { tenant_id: tenantId, id: ownerId }, choice, now) => {
        if (choice === 'delete') await enqueueDeletionOfFiles(tx, { tenantId, ownerId }, now);
      },
    },
    schedules: [{ name: 'files-expiry', everySeconds: 60, jobKind: expiryJobKind }],
  }),
});
