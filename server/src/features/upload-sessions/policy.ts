// Rules of uploads: valid plans, limits, and status changes. Pure.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { chunkLength, countChunks, recommendChunkSize, type UploadStatus } from '@recordproof/shared/api/uploads.ts';
import type { Time } from '../../platform/db/tables.ts';

export type UploadPlan = {
  readonly fileName: string;
  readonly fileSize: number;
  readonly contentType: string;
  readonly chunkSize: number;
  readonly totalChunks: number;
};

export type UploadLimits = { readonly maxFileBytes: number; readonly maxChunkBytes: number };

type LoosePlan = Pick<UploadPlan, 'fileSize'> & {
  readonly chunkSize?: number | undefined;
  readonly totalChunks?: number | undefined;
};

/** With chunks of the recommended size, unless the plan names another. */
export function completePlan<Plan extends LoosePlan>(plan: Plan, { maxChunkBytes }: UploadLimits) {
  const chunkSize = plan.chunkSize ?? Math.min(maxChunkBytes, recommendChunkSize(plan.fileSize));
  return { ...plan, chunkSize, totalChunks: plan.totalChunks ?? countChunks(plan.fileSize, chunkSize) };
}

export function checkPlan(plan: UploadPlan, limits: UploadLimits): void {
  if (plan.fileSize === 0) throw new ApiError('FILE_EMPTY', 'the file is empty; there is nothing to prove about it');
  if (plan.fileSize > limits.maxFileBytes) {
    throw new ApiError(
      'FILE_MAX_SIZE_OVERFLOW',
      `the file is larger than the ${limits.maxFileBytes} bytes allowed here`,
    );
  }
  if (plan.chunkSize > limits.maxChunkBytes) {
    throw new ApiError('PARAM_IS_INVALID', `chunkSize: at most ${limits.maxChunkBytes} bytes are allowed`);
  }
  const expected = countChunks(plan.fileSize, plan.chunkSize);
  if (plan.totalChunks !== expected) {
    throw new ApiError('PARAM_IS_INVALID', `totalChunks: a file of this size has ${expected} chunks of this size`);
  }
}

type Planned = { file_name: string; file_size: number; content_type: string; chunk_size: number; total_chunks: number };

export const isSamePlan = (upload: Planned, plan: UploadPlan): boolean =>
  upload.file_name === plan.fileName &&
  upload.file_size === plan.fileSize &&
  upload.content_type === plan.contentType &&
  upload.chunk_size === plan.chunkSize &&
  upload.total_chunks === plan.totalChunks;

export const lengthOfChunk = (upload: Pick<Planned, 'file_size' | 'chunk_size'>, index: number): number =>
  chunkLength(upload.file_size, upload.chunk_size, index);

type Standing = { readonly status: string; readonly expires_at: Time; readonly kind: string };

const ended: Readonly<Partial<Record<UploadStatus, string>>> = {
  COMPLETED: 'this upload is complete',
  FINALIZING: 'this upload is being completed',
  CANCELLED: 'this upload was cancelled',
  FAILED: 'this upload has failed; start a new one',
};

/** Also before the sweep has run. */
export function hasExpired(upload: Pick<Standing, 'status' | 'expires_at'>, now: Time): boolean {
  const isOver = (upload.status === 'UPLOADING' || upload.status === 'PAUSED') && upload.expires_at <= now;
  return upload.status === 'EXPIRED' || isOver;
}

/** An expired upload is treated as missing: the client starts again. */
function rejectExpired(upload: Standing, now: Time): void {
  if (hasExpired(upload, now)) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
}

export function assertReceiving(upload: Standing, kind: 'proxied' | 'direct', now: Time): void {
  rejectExpired(upload, now);
  const why = ended[upload.status as UploadStatus];
  if (why) throw new ApiError('CONFLICT', why);
  if (upload.status === 'PAUSED') throw new ApiError('CONFLICT', 'this upload is paused; resume it first');
  if (upload.kind !== kind) {
    const hint =
      upload.kind === 'direct' ? 'its parts go to their signed addresses' : 'its chunks go through the server';
    throw new ApiError('CONFLICT', `this is a ${upload.kind} upload: ${hint}`);
  }
}

/** Pausing, resuming and cancelling are idempotent; final statuses do not change. */
export function nextStatus(upload: Standing, target: 'PAUSED' | 'UPLOADING' | 'CANCELLED', now: Time): UploadStatus {
  if (upload.status === target) return target;
  rejectExpired(upload, now);
  if (upload.status === 'FAILED' && target === 'CANCELLED') return 'CANCELLED';
  const why = ended[upload.status as UploadStatus];
  if (why) throw new ApiError('CONFLICT', why);
  return target;
}
