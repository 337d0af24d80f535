// Wire format of chunked uploads.
import type { UploadStatus } from '@recordproof/shared/api/uploads.ts';
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
