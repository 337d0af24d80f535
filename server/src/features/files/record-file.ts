// The life of a file record until it counts: PREPARE, then SUCCESS or FAIL. Every step may be taken twice.
import { fileStatus, type proofStatuses } from '@recordproof/shared/api/files.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import {
  type Evidence,
  type FileRow,
  findFileByOrigin,
  insertFiles,
  type NewFile,
  settleFiles,
  updateFile,
} from './queries.ts';
import { type Quota, type Use, useUp, type Warning } from './quota.ts';

const dayMs = 24 * 3600 * 1000;

/** The UTC day, counted since the epoch. */
export const toDay = (time: Time): number => Math.floor(time / dayMs);

/** Allocates the records, in status PREPARE: nobody sees them yet and they count for nothing. In no order. */
export async function prepareFiles(tx: Tx, files: readonly NewFile[], now: Time): Promise<FileRow[]> {
  const made = new Map((await insertFiles(tx, files, now)).map(row => [row.created_by, row]));
  for (const { createdBy, tenantId, ownerId } of files) {
    const row = made.get(createdBy) ?? (await findFileByOrigin(tx, createdBy));
    if (row?.tenant_id !== tenantId || row.owner_id !== ownerId) {
      throw new Error(`the record of ${createdBy} belongs to somebody else`);
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
 * PREPARE → SUCCESS: from the commit on the records are there and count. Call it in one transaction with `appendVersion`,
 * and after it. The commit throws QUOTA_EXCEEDED in mode ENFORCE. Files that are SUCCESS already stay as they are.
 */
export async function markStored(
  tx: Tx,
  quota: Quota,
  evidence: readonly Evidence[],
  now: Time,
  warn: (warning: Warning) => void,
): Promise<void> {
  const settled = await settleFiles(tx, evidence);
  if (settled.length < evidence.length) await refuseUnsettled(tx, evidence, settled);
  await countStored(tx, quota, settled, now, warn);
}

/** For records that this transaction prepared and will settle at its end. The commit throws QUOTA_EXCEEDED in mode ENFORCE. */
export async function countStored(
  tx: Tx,
  quota: Quota,
  files: readonly FileRow[],
  now: Time,
  warn: (warning: Warning) => void,
): Promise<void> {
  const uploadDay = toDay(now);
  const uses = files.map(file => ({ ...toUse(file), uploadDay }));
  if (uses.length > 0) await useUp(tx, quota, uses, warn);
}

/** PREPARE → SUCCESS, of records that `countStored` has counted. */
export async function settleCounted(tx: Tx, evidence: readonly Evidence[]): Promise<void> {
  const settled = await settleFiles(tx, evidence);
  if (settled.length < evidence.length) throw new Error(`of ${evidence.length} records ${settled.length} were settled`);
}

/** A next version takes the place of its parent in lists. */
const toUse = (file: FileRow): Use => ({
  tenantId: file.tenant_id,
  ownerId: file.owner_id,
  files: 1,
  bytes: file.file_size,
  latestFiles: file.parent_version_id === null ? 1 : 0,
});

async function refuseUnsettled(tx: Tx, evidence: readonly Evidence[], settled: readonly FileRow[]): Promise<void> {
  const ids = new Set(evidence.map(({ fileId }) => fileId)).difference(new Set(settled.map(({ id }) => id)));
  const rows = await tx
    .selectFrom('file')
    .select(['id', 'status'])
    .where('id', 'in', [...ids])
    .execute();
  const stored = rows.filter(({ status }) => status === fileStatus.SUCCESS);
  if (stored.length < ids.size) throw new Error(`of the files ${[...ids].join(', ')} some cannot be stored`);
}

/** PREPARE → FAIL. A record that is FAIL already stays as it is; one that is stored is never undone. */
export async function failFile(tx: Tx, key: { readonly tenantId: Key; readonly fileId: Key }): Promise<void> {
  const record = await getRecord(tx, key);
  if (record.status === fileStatus.FAIL) return;
  const failed = record.status === fileStatus.PREPARE && (await updateFile(tx, record, { status: fileStatus.FAIL }));
  if (!failed) throw new Error(`file ${key.fileId} has status ${record.status} and cannot fail`);
}

/** Whether a proof is on its way or there; told by the features that make proofs. */
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

async function getRecord(db: Db, { tenantId, fileId }: { tenantId: Key; fileId: Key }): Promise<FileRow> {
  return db
    .selectFrom('file')
    .selectAll()
    .where('id', '=', fileId)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
}
