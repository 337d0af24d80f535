// Mapping of S3 client errors to those of the object store. Messages contain neither URLs nor keys.
import { CircuitOpenError } from '../circuit-breaker.ts';
import { ObjectStoreError, type ObjectStoreErrorKind } from './object-store.ts';

type Facts = { readonly name: string; readonly code: string; readonly status: number | undefined };

function toFacts(error: unknown): Facts {
  if (!(error instanceof Error)) return { name: 'unknown', code: '', status: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const metadata = '$metadata' in error && typeof error.$metadata === 'object' ? error.$metadata : null;
  const status = metadata !== null && 'httpStatusCode' in metadata ? metadata.httpStatusCode : undefined;
  return { name: error.name, code, status: typeof status === 'number' ? status : undefined };
}

export const statusOf = (error: unknown): number | undefined => toFacts(error).status;

/** An unknown upload id: AWS reports NoSuchUpload, Ceph NoSuchKey. */
export const isUploadGone = (error: unknown): boolean => statusOf(error) === 404;

/** The node failed or the transfer was corrupted: a retry, here or elsewhere, may succeed. */
export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof ObjectStoreError || error instanceof CircuitOpenError) return false;
  const { name, status } = toFacts(error);
  if (name === 'AbortError') return false;
  if (status === undefined || status >= 500 || status === 429 || status === 408) return true;
  return status === 400 && ['BadDigest', 'XAmzContentSHA256Mismatch', 'RequestTimeout'].includes(name);
}

/** Whether the error concerns the store rather than one object, caller or transfer. */
export function isStoreDown(error: unknown): boolean {
  const { status } = toFacts(error);
  return isWorthRetrying(error) && (status === undefined || status >= 500);
}

/** Whether the node was unreachable, as opposed to responding with an error. */
export function isNodeDown(error: unknown): boolean {
  const { status } = toFacts(error);
  return isWorthRetrying(error) && (status === undefined || status === 502 || status === 504);
}

const kindByStatus: Readonly<Record<number, [ObjectStoreErrorKind, string]>> = {
  403: ['DENIED', 'the object storage rejects these credentials: check the access key and secret'],
  404: ['NOT_FOUND', 'no such object'],
  409: ['UNAVAILABLE', 'another writer is at work on this object'],
  412: ['EXISTS', 'this object already exists'],
  416: ['RANGE_INVALID', 'the range does not lie inside the object'],
  507: ['NO_SPACE', 'the object storage is full'],
};

export function toS3StoreError(error: unknown): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error;
  const { name, code, status } = toFacts(error);
  if (error instanceof CircuitOpenError) return new ObjectStoreError('UNAVAILABLE', error.message, error);
  if (name === 'AbortError') return new ObjectStoreError('ABORTED', 'the caller cancelled this transfer', error);
  if (name === 'QuotaExceeded')
    return new ObjectStoreError('NO_SPACE', 'the quota of the object storage is used up', error);
  if (name === 'NoSuchBucket') return new ObjectStoreError('FAILED', 'the bucket does not exist', error);
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return new ObjectStoreError('TIMEOUT', 'the object storage did not answer in time', error);
  }
  if (status === undefined)
    return new ObjectStoreError(
      'UNAVAILABLE',
      `the object storage cannot be reached (${code || name}); check its address and the network`,
      error,
    );
  const mapped = kindByStatus[status];
  if (mapped !== undefined) return new ObjectStoreError(mapped[0], mapped[1], error);
  if (isWorthRetrying(error))
    return new ObjectStoreError('UNAVAILABLE', `the object storage answered ${status}`, error);
  return new ObjectStoreError('FAILED', `the object storage answered ${status} ${name}`, error);
}

export const withStoreErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => Promise.reject(toS3StoreError(error)));
