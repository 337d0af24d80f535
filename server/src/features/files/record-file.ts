// The states of a file record until it is stored: PREPARE, then SUCCESS or FAIL. Every step is idempotent.
import { fileStatus, type proofStatuses } from '@recordproof/shared/api/files.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { LogPort } from '../../platform/log-port.ts';
import { addUsage, type Quota, type UsageChange } from '../quotas/index.ts';
import { ensureFoldersAtEnd } from './folder-rows.ts';
import {
  type Evidence,
  type FileRow,
  findFile,
  findFileByOrigin,
  insertFiles,
  markFilesStored,
  type NewFile,
  updateFile,
} from './queries.ts';

const dayMs = 24 * 3600 * 1000;

/** The UTC day, in days since the epoch. */
export const toDay = (time: Time): number => Math.floor(time / dayMs);

/** Creates the records in status PREPARE: invisible and not counted. Unordered. */
export async function prepareFiles(tx: Tx, files: readonly NewFile[], now: Time): Promise<FileRow[]> {
  const made = new Map((await insertFiles(tx, files, now)).map(row => [row.created_by, row]));
  for (const { createdBy, tenantId, ownerId } of files) {
    const row = made.get(createdBy) ?? (await findFileByOrigin(tx, createdBy));
    if (row?.tenant_id !== tenantId || row.owner_id !== ownerId) {
      throw new Error(`the file record of ${createdBy} belongs to another account`);
    }
    made.set(createdBy, row);
  }
  return [...made.values()];
}

export async function prepareFile(tx: Tx, file: NewFile, now: Time): Promise<FileRow> {
  const [row] = await prepareFiles(tx, [file], now);
  return row as FileRow;
}

/**
 * PREPARE → SUCCESS: the records are visible and counted from the commit on. Call in one transaction with
 * `appendVersion`, and after it. The commit throws QUOTA_EXCEEDED in mode ENFORCE. Files already in SUCCESS are
 * unchanged.
 */
export async function markStored(
  tx: Tx,
  quota: Quota,
  evidence: readonly Evidence[],
  now: Time,
  log: Pick<LogPort, 'warn'>,
): Promise<void> {
  const stored = await markFilesStored(tx, evidence);
  if (stored.length < evidence.length) await rejectUnstored(tx, evidence, stored);
  await countStored(tx, quota, stored, now, log);
}

/**
 * For records prepared by this transaction and marked as stored at its end. In mode ENFORCE the commit throws
 * QUOTA_EXCEEDED.
 */
export async function countStored(
  tx: Tx,
  quota: Quota,
  files: readonly FileRow[],
  now: Time,
  log: Pick<LogPort, 'warn'>,
): Promise<void> {
  const folders = files.flatMap(file => toFolder(file) ?? []);
  if (folders.length > 0) await ensureFoldersAtEnd(tx, folders, now);
  const uploadDay = toDay(now);
  const uses = files.map(file => ({ ...toUse(file), uploadDay }));
  if (uses.length > 0) await addUsage(tx, quota, uses, log);
}

const toFolder = ({ tenant_id: tenantId, owner_id: ownerId, path }: FileRow) =>
  path === null ? null : { tenantId, ownerId, path };

/** A new version replaces its parent in lists. */
const toUse = (file: FileRow): UsageChange => ({
  tenantId: file.tenant_id,
  ownerId: file.owner_id,
  files: 1,
  bytes: file.file_size,
  latestFiles: file.parent_version_id === null ? 1 : 0,
});

async function rejectUnstored(tx: Tx, evidence: readonly Evidence[], marked: readonly FileRow[]): Promise<void> {
  const ids = new Set(evidence.map(({ fileId }) => fileId)).difference(new Set(marked.map(({ id }) => id)));
  const rows = await tx
    .selectFrom('file')
    .select(['id', 'status'])
    .where('id', 'in', [...ids])
    .execute();
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  const rejected = [...ids].filter(id => statuses.get(id) !== fileStatus.SUCCESS);
  if (rejected.length === 0) return;
  const each = rejected.map(id => `${id} (${statuses.has(id) ? `status ${statuses.get(id)}` : 'no record'})`);
  throw new Error(`files cannot be stored: ${each.join(', ')}`);
}

/** PREPARE → FAIL. A record already in FAIL is unchanged; a stored one is never undone. */
export async function failFile(
  tx: Tx,
  { tenantId, fileId }: { readonly tenantId: Key; readonly fileId: Key },
): Promise<void> {
  const record = await findFile(tx, tenantId, fileId);
  if (record === null) throw new Error(`there is no file record ${fileId}`);
  if (record.status === fileStatus.FAIL) return;
  const failed = record.status === fileStatus.PREPARE && (await updateFile(tx, record, { status: fileStatus.FAIL }));
  if (!failed) throw new Error(`file ${fileId} has status ${record.status} and cannot fail`);
}

/** Sets whether a proof is pending or issued; called by the features that make proofs. */
export async function setProofStatus(
  tx: Tx,
  tenantId: Key,
  fileIds: readonly Key[],
  status: (typeof proofStatuses)[number],
): Promise<void> {
  if (fileIds.length === 0) return;
  await tx
    .updateTable('file')
    .set({ proof_status: status })
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', fileIds)
    .execute();
}

/** The holder name under which a file record references its stored objects. */
export const holderOf = (file: Pick<FileRow, 'id'>): string => `file:${file.id}`;

/** Returns null if the holder is not a file. */
export function fileIdOf(holder: string): Key | null {
  const [, id] = /^file:(\d+)$/.exec(holder) ?? [];
  return id === undefined ? null : Number(id);
}
