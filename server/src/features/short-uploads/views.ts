// Wire format of short uploads.
import type { UploadResult } from '@recordproof/shared/api/uploads.ts';
import { toWireId } from '../../platform/ids.ts';
import type { FileRow } from '../files/index.ts';

/** The response for a stored file; there is no upload session. */
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
