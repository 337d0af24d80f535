// Wire format of chunked uploads.
import type { UploadResult, UploadStatus } from '@recordproof/shared/api/uploads.ts';
import { toWireId } from '../../platform/ids.ts';
import type { FileRow } from '../files/index.ts';
import type { UploadRow } from '../upload-sessions/index.ts';

/** The steps of a completion report no progress, so a fixed value is shown. */
const percentWhileFinalizing = 50;

const percent = (part: number, whole: number): number => Math.floor((part * 10_000) / whole) / 100;

export const toProgress = (row: UploadRow) => {
  const uploadProgress = row.status === 'COMPLETED' ? 100 : percent(row.received_chunks, row.total_chunks);
  const processProgress = row.status === 'COMPLETED' ? 100 : row.status === 'FINALIZING' ? percentWhileFinalizing : 0;
  const progress = Math.floor((uploadProgress * 9 + processProgress) * 10) / 100;
  return { progress, uploadProgress, processProgress };
};

export const toChunkReceipt = (row: UploadRow, index: number, uploadedChunkCount: number) => ({
  clientId: row.client_id,
  chunkNumber: index,
  uploadedChunkCount,
  totalChunks: row.total_chunks,
});

export const toCheck = (row: UploadRow, uploadedChunks: number[]) => ({
  clientId: row.client_id,
  fileName: row.file_name,
  fileSize: row.file_size,
  status: row.status as UploadStatus,
  paused: row.status === 'PAUSED',
  progress: toProgress(row).progress,
  uploadedChunks,
  totalChunks: row.total_chunks,
});

export const toReport = (row: UploadRow) => ({
  clientId: row.client_id,
  status: row.status as UploadStatus,
  ...toProgress(row),
  uploadedChunkCount: row.received_chunks,
  totalChunks: row.total_chunks,
});

export function toResult(row: UploadRow, file: FileRow): UploadResult {
  if (file.transaction_hash === null || file.manifest_hash === null) throw new Error(`file ${file.id} is not stored`);
  return {
    clientId: row.client_id,
    fileId: toWireId(file.id),
    fileHash: file.file_hash,
    contentHash: file.content_hash,
    transactionHash: file.transaction_hash,
    manifestHash: file.manifest_hash,
    version: file.version,
    status: 'SUCCESS',
  };
}
