// The life of a file record until it counts: PREPARE, then SUCCESS or FAIL. Every step may be taken twice.
import { fileStatus, type proofStatuses } from '@recordproof/shared/api/files.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import {
  countUpload,
  type FileRow,
  findFileByOrigin,
  insertFile,
  type NewFile,
  updateFile,
  wholeTenant,
} from './queries.ts';
import { type Quota, useUp } from './quota.ts';

const dayMs = 24 * 3600 * 1000;

/** The UTC day, counted since the epoch. */
export const toDay = (time: Time): number => Math.floor(time / dayMs);

/** Allocates the record, in status PREPARE: nobody sees it yet and it counts for nothing. */
export async function prepareFile(tx: Tx, file: NewFile, now: Time): Promise<FileRow> {
  const row = (await insertFile(tx, file, now)) ?? (await findFileByOrigin(tx, file.createdBy));
  if (row?.tenant_id !== file.tenantId || row.owner_id !== file.ownerId) {
    throw new Error(`the record of ${file.createdBy} belongs to somebody else`);
  }
  return row;
}

export type StoredEvidence = { readonly transactionHash: string; readonly manifestHash: string };

/** `warning`: past the quota, which is only watched; for the log. */
export type StoreResult = { readonly file: FileRow; readonly warning: string | null };

/**
 * PREPARE → SUCCESS: from the commit on the file is there and counts. Call it in one transaction with `appendVersion`, and
 * after it. Throws QUOTA_EXCEEDED in mode ENFORCE. A file that is SUCCESS already is answered as it is.
 */
export async function storeFile(
  tx: Tx,
  quota: Quota,
  key: { readonly tenantId: Key; readonly fileId: Key },
  evidence: StoredEvidence,
  now: Time,
): Promise<StoreResult> {
  const prepared = await getRecord(tx, key);
  if (prepared.status === fileStatus.SUCCESS) return { file: prepared, warning: null };
  if (prepared.version_group_id === null) throw new Error('a file is stored after it has its place in a version chain');
  const change = {
    status: fileStatus.SUCCESS,
    transaction_hash: evidence.transactionHash,
    manifest_hash: evidence.manifestHash,
  };
  const file = prepared.status === fileStatus.PREPARE ? await updateFile(tx, prepared, change) : null;
  if (file === null) throw new Error(`file ${key.fileId} has status ${prepared.status} and cannot be stored`);
  const owner = { tenantId: file.tenant_id, ownerId: file.owner_id };
  const latestFiles = file.parent_version_id === null ? 1 : 0; // a next version takes the place of its parent in lists
  const warning = await useUp(tx, quota, owner, { files: 1, bytes: file.file_size, latestFiles });
  await countUpload(tx, file.tenant_id, [file.owner_id, wholeTenant], toDay(now));
  return { file, warning };
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
