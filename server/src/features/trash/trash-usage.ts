// Trash states of a file, and their usage figures. Pure.
import type { FileRow } from '../files/index.ts';

/** LISTED: the owner sees it and can restore it. WITH_NEWER: restored with the listed newer version of its chain. */
export const trashStates = { NONE: 0, LISTED: 1, WITH_NEWER: 2 } as const;

/** Usage when a file moves to the trash. */
export const toTrashUse = (file: Pick<FileRow, 'file_size'>) => ({ trashFiles: 1, trashBytes: file.file_size });

/** Usage when it leaves the trash. */
export const fromTrash = (file: Pick<FileRow, 'file_size'>) => ({ trashFiles: -1, trashBytes: -file.file_size });

/** Usage when it is purged. */
export const fromTrashUse = (file: FileRow) => ({
  tenantId: file.tenant_id,
  ownerId: file.owner_id,
  files: 0,
  bytes: 0,
  latestFiles: 0,
  ...fromTrash(file),
});
