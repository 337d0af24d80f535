// Response envelope: the only place where results and errors are converted to it.
import { ApiError, type ErrorKind, errorTable, storageFull } from '@recordproof/shared/api/errors.ts';
import { type CircuitOpenError, findOpenCircuit } from '../circuit-breaker.ts';
import { ClusterUnavailable } from '../cluster/cluster.ts';
import { KeyProviderError } from '../crypto/envelope.ts';
import { OutcomeUnknown } from '../db/database-errors.ts';
import { isDiskFailure, isFull } from '../durable-files.ts';
import { ObjectStoreError } from '../objects/object-store.ts';

export const toEnvelope = (data: unknown): string =>
  JSON.stringify({ code: 200, message: 'success', data: data ?? null });

export const toErrorEnvelope = (error: ApiError): string =>
  JSON.stringify({ code: error.code, message: error.message, data: error.detail ? { detail: error.detail } : null });

/** Errors of the framework, thrown before any handler runs. */
const frameworkErrors: Readonly<Record<string, [ErrorKind, string?]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['TOO_LARGE'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['PARAM_ERROR', 'the content type is not one that this endpoint reads'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['BAD_REQUEST', 'the body is not as long as announced'],
  FST_ERR_HANDLER_TIMEOUT: ['SERVICE_TIMEOUT', 'the request took too long'],
  FST_ERR_BAD_URL: ['BAD_REQUEST', 'the address is not valid'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND', 'there is nothing at this address'],
};

/**
 * SQLSTATE classes and system errors of an unavailable or overloaded database, as opposed to a faulty query; they
 * include statements cancelled by a timeout.
 */
const outageCodes = /^(08|57|53|25P0[34]|40001|40P01|55P03|ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|EAI_AGAIN)/;
/** PostgreSQL is read-only, for instance a standby. */
const readOnlyCode = '25006';
/**
 * Disk errors of the database. SQLite also reports CORRUPT where a read fails with EIO, so the two cannot be told
 * apart; both need an operator.
 */
const databaseDiskFailures = /^(58|SQLITE_IOERR|SQLITE_CORRUPT)/;

/** Messages of the driver, without a code, about a lost connection. */
const goneMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;
const saysGone = (error: unknown): boolean => error instanceof Error && goneMessages.test(error.message);

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof KeyProviderError) return toKeyAnswer(error);
  const open = findOpenCircuit(error);
  if (open) return toCircuitAnswer(open);
  if (error instanceof OutcomeUnknown) return unknown(error);
  if (error instanceof ClusterUnavailable || saysGone(error)) return unavailable(error);
  if (error instanceof ObjectStoreError) return toStoreAnswer(error);
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof code === 'string') {
    const [kind, message] = frameworkErrors[code] ?? [];
    if (kind) return new ApiError(kind, message ?? errorTable[kind].message, { cause: error });
    if (isFull(code)) return full(error);
    if (code === 'EROFS' || code === readOnlyCode || code.startsWith('SQLITE_READONLY')) return unwritable(error);
    if (isDiskFailure(code) || databaseDiskFailures.test(code)) return failing(error);
    if (outageCodes.test(code) || code.startsWith('SQLITE_BUSY')) return unavailable(error);
  }
  if (error instanceof SyntaxError && statusCode === 400)
    return new ApiError('JSON_PARSE_ERROR', undefined, { cause: error });
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new ApiError('BAD_REQUEST', undefined, { cause: error });
  }
  return new ApiError('INTERNAL', undefined, { cause: error, isOutcomeUnknown: true });
}

/** A stream that its reader aborted has the reader's error as its cause. */
function toStoreAnswer(error: ObjectStoreError): ApiError {
  const { kind, cause } = error;
  if (kind === 'SOURCE_FAILED') {
    return cause instanceof ApiError
      ? cause
      : new ApiError('BAD_REQUEST', 'the connection was lost before all bytes arrived; send the request again', {
          cause: error,
        });
  }
  if (kind === 'LENGTH_MISMATCH') return new ApiError('PARAM_IS_INVALID', error.message, { cause: error });
  if (kind === 'ABORTED') return new ApiError('BAD_REQUEST', 'the transfer was cancelled', { cause: error });
  if (kind === 'NO_SPACE') return full(error);
  if (kind === 'DENIED') return unwritable(error);
  if (kind === 'DISK_FAILED') return failing(error);
  if (kind === 'TIMEOUT' || kind === 'UNAVAILABLE' || kind === 'REPLACED') return unavailable(error);
  return new ApiError('FILE_SERVICE_ERROR', undefined, { cause: error, isOutcomeUnknown: true });
}

/** Retry time for a key service error that an administrator must fix. */
const mendingSeconds = 60;

function toKeyAnswer(cause: KeyProviderError): ApiError {
  if (!cause.isOutage)
    return new ApiError('ENCRYPTION_ERROR', 'the key of this file cannot be opened; tell an administrator', { cause });
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    'the key service is unavailable: file keys can be neither wrapped nor unwrapped; try again later',
    { cause, retryAfterSeconds: cause.isWorthRetrying ? 5 : mendingSeconds },
  );
}

const full = (cause: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'the storage of this server is full; nothing was stored', {
    cause,
    detail: { reason: storageFull },
  });

const unwritable = (cause: unknown): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'the storage of this server is read-only at the moment; stored files can still be read',
    { cause, retryAfterSeconds: 60 },
  );

const failing = (cause: unknown): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'a disk of this server is failing; if this request changes data, check whether it took effect before you retry',
    { cause, retryAfterSeconds: 60, isOutcomeUnknown: true },
  );

const toCircuitAnswer = (cause: CircuitOpenError): ApiError =>
  new ApiError('SERVICE_CIRCUIT_OPEN', undefined, { cause, retryAfterSeconds: Math.ceil(cause.retryAfterMs / 1000) });

const unavailable = (cause: unknown): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'part of the service is unavailable; if this request changes data, check whether it took effect before you retry',
    { cause, retryAfterSeconds: 5, isOutcomeUnknown: true },
  );

const unknown = (cause: unknown): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'the database connection was lost; the outcome is unknown, check whether the request took effect before you retry',
    { cause, retryAfterSeconds: 5, isOutcomeUnknown: true },
  );
