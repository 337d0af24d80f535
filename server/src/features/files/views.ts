// Wire format of file records.
import { type File, fileStatus, type proofStatuses } from '@recordproof/shared/api/files.ts';
import type { UploadResult } from '@recordproof/shared/api/uploads.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { listUsernames } from '../accounts/index.ts';
import type { FileRow } from './queries.ts';

/** `names` contains the user names of owner, first owner and sharer, by account. */
const toFileView = (row: FileRow, names: ReadonlyMap<Key, string>): File => ({
  id: toWireId(row.id),
  fileName: row.file_name,
  path: row.path,
  fileHash: row.file_hash,
  contentHash: row.content_hash,
  fileSize: row.file_size,
  contentType: row.content_type,
  status: row.status,
  version: row.version,
  isLatest: row.is_latest === 1,
  versionGroupId: toWireId(chainOf(row)),
  parentVersionId: row.parent_version_id === null ? null : toWireId(row.parent_version_id),
  transactionHash: row.transaction_hash,
  manifestHash: row.manifest_hash,
  proofStatus: row.proof_status as (typeof proofStatuses)[number],
  ownerName: names.get(row.owner_id) ?? '',
  createdAt: toIso(row.created_at),
  originOwnerName: nameOf(row.origin_owner_id, names),
  sharedFromUserName: nameOf(row.shared_from_id, names),
});

const nameOf = (id: Key | null, names: ReadonlyMap<Key, string>): string | null =>
  id === null ? null : (names.get(id) ?? null);

/** The account that reads: its own name is known from its session. */
type Reader = { readonly tenantId: Key; readonly userId?: Key; readonly username?: string };

/** One query finds all names but the reader's. */
export async function toFileViews(
  db: Db,
  { tenantId, userId, username }: Reader,
  rows: readonly FileRow[],
): Promise<File[]> {
  const ids = rows.flatMap(row => [row.owner_id, row.origin_owner_id, row.shared_from_id]).filter(id => id !== null);
  const others = [...new Set(ids)].filter(id => id !== userId);
  const names = new Map(await listUsernames(db, tenantId, others));
  if (userId !== undefined && username !== undefined) names.set(userId, username);
  return rows.map(row => toFileView(row, names));
}

/** The answer of an upload, without its clientId. */
export type StoredFile = Omit<UploadResult, 'clientId'>;

export function toStored(file: FileRow): StoredFile {
  const { transaction_hash: transactionHash, manifest_hash: manifestHash } = file;
  if (transactionHash === null || manifestHash === null) throw new Error(`file ${file.id} is not stored`);
  return {
    fileId: toWireId(file.id),
    fileHash: file.file_hash,
    contentHash: file.content_hash,
    transactionHash,
    manifestHash,
    version: file.version,
    status: 'SUCCESS',
  };
}

/** The version chain of a file: the id of its first version. */
export const chainOf = ({ id, version_group_id: group }: Pick<FileRow, 'id' | 'version_group_id'>): Key => group ?? id;

/** Only stored files are visible; others are in preparation, failed or deleted. */
export const isLive = (row: FileRow): boolean => row.status === fileStatus.SUCCESS;
