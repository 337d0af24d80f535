// Files with unknown references in a census, for administrators: which they are, and how to resolve each.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { UnknownHold } from '@recordproof/shared/api/sweep.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { listUsernames } from '../accounts/index.ts';
import { type FileRow, listFilesById } from '../files/index.ts';
import type { UnknownHoldRow } from './census-queries.ts';

const orDelete = 'or delete it (recordproof admin files delete FILE), which frees the sweep when its retention ends';

/** Deleted files keep their objects until they are purged, and block until then. */
function toHint(file: FileRow | undefined): string {
  if (file === undefined) return 'the file no longer exists: take another census';
  if (file.status === fileStatus.DELETE)
    return 'wait until the retention of the deleted file has ended, then take another census';
  if (file.manifest_hash === null) return `run a backfill (recordproof admin backfill scan); ${orDelete}`;
  return `restore its manifest from a backup of the database; ${orDelete}`;
}

export async function toUnknownHolds(db: Db, tenantId: Key, rows: readonly UnknownHoldRow[]): Promise<UnknownHold[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(row => row.file_id);
  const files = new Map((await listFilesById(db, tenantId, ids)).map(file => [file.id, file]));
  const owners = await listUsernames(db, tenantId, [...new Set([...files.values()].map(file => file.owner_id))]);
  return rows.map(({ file_id, reason }) => {
    const file = files.get(file_id);
    return {
      fileId: toWireId(file_id),
      fileHash: file?.file_hash ?? '',
      fileName: file?.file_name ?? '',
      ownerName: owners.get(file?.owner_id ?? 0) ?? '',
      reason,
      hint: toHint(file),
    };
  });
}
