// Errors as they pass between processes: known errors arrive with their kind, all others as "broken". Causes and stacks stay
// where they are.
import { TransportError, transportFailures } from '@recordproof/shared/api/client.ts';
import { ApiError, type ErrorKind, errorTable } from '@recordproof/shared/api/errors.ts';
import { HttpBroken } from '@recordproof/shared/transfer/ports.ts';
import { TransferError, transferFailures } from '@recordproof/shared/transfer/transfer-error.ts';
import { z } from 'zod';
import type { Failure } from '../bridge/bridge.ts';

export const sentFailure = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('api'),
    error: z.enum(Object.keys(errorTable) as ErrorKind[]),
    message: z.string(),
    detail: z.record(z.string(), z.unknown()).optional(),
    retryAfterSeconds: z.number().optional(),
    rateLimit: z.number().optional(),
    traceId: z.string().optional(),
  }),
  z.object({ kind: z.literal('transport'), failure: z.enum(transportFailures), message: z.string() }),
  z.object({ kind: z.literal('transfer'), failure: z.enum(transferFailures), message: z.string() }),
  z.object({ kind: z.literal('broken'), message: z.string() }),
]);

export type SentFailure = z.infer<typeof sentFailure>;

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

export function toSentFailure(error: unknown): SentFailure {
  if (error instanceof ApiError) {
    const { kind, message, detail, retryAfterSeconds, rateLimit, traceId } = error;
    return { kind: 'api', error: kind, message, detail, retryAfterSeconds, rateLimit, traceId };
  }
  if (error instanceof TransportError) return { kind: 'transport', failure: error.failure, message: error.message };
  if (error instanceof HttpBroken) return { kind: 'transport', failure: 'unreachable', message: error.message };
  if (error instanceof TransferError) return { kind: 'transfer', failure: error.failure, message: error.message };
  if (isDiskFull(error)) return { kind: 'transfer', failure: 'no-room', message: 'the disk is full' };
  return { kind: 'broken', message: error instanceof Error ? error.message : String(error) };
}

export function fromSentFailure(sent: SentFailure): Error {
  switch (sent.kind) {
    case 'api': {
      const { detail, retryAfterSeconds, rateLimit, traceId } = sent;
      return new ApiError(sent.error, sent.message, {
        ...(detail && { detail }),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        ...(rateLimit !== undefined && { rateLimit }),
        ...(traceId !== undefined && { traceId }),
      });
    }
    case 'transport':
      return new TransportError(sent.failure, sent.message);
    case 'transfer':
      return new TransferError(sent.failure, sent.message);
    case 'broken':
      return new Error(sent.message);
  }
}

/** As a list of transfers stores it. */
export function toFailure(error: unknown): Failure {
  const sent = toSentFailure(error);
  if (sent.kind === 'api') {
    const { error: code, message, traceId } = sent;
    return { code, message, ...(traceId !== undefined && { traceId }) };
  }
  return { code: sent.kind === 'broken' ? 'broken' : sent.failure, message: sent.message };
}

/** The failures among the outcomes of a set. */
export const toRejected = (outcomes: readonly unknown[]): { readonly at: number; readonly failure: Failure }[] =>
  outcomes.flatMap((error, at) => (error instanceof Error ? [{ at, failure: toFailure(error) }] : []));
