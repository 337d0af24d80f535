// Trash states of a file, and the changes of usage (quotas) when it enters or leaves the trash. Pure.
import type { FileRow } from '../files/index.ts';

/** LISTED: the owner sees it and can restore it. WITH_NEWER: restored with the listed newer version of its chain. */
export const trashStates = { NONE: 0, LISTED: 1, WITH_NEWER: 2 } as const;

/** Change when a file moves to the trash. */
export const usageOfTrashing = (file: Pick<FileRow, 'file_size'>) => ({ trashFiles: 1, trashBytes: file.file_size });

/** Change when it leaves the trash, restored or purged. */
export const usageOfLeavingTrash = (file: Pick<FileRow, 'file_size'>) => ({
  trashFiles: -1,
  trashBytes: -file.file_size,
});

/** Change when it is purged: all other figures stay. */
export const usageOfPurging = (file: FileRow) => ({
  tenantId: file.tenant_id,
  ownerId: file.owner_id,
  files: 0,
  bytes: 0,
  latestFiles: 0,
  ...usageOfLeavingTrash(file),
});
