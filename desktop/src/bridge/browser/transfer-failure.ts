import { TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Failure } from '../bridge.ts';

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError) return { code: error.kind, message };
  if (error instanceof TransferError || error instanceof TransportError) return { code: error.failure, message };
  return { code: 'unknown', message };
}
