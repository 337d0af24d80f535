// Meaning of a transit service's errors for wrap and unwrap. Its error texts are matched here and not passed on.
import { errnoOf } from '../durable-files.ts';
import { KeyProviderError } from './envelope.ts';

const byStatus: Readonly<Record<number, readonly [KeyProviderError['category'], string]>> = {
  401: ['PERMISSION_DENIED', 'the key service rejected the token; check vault-token or vault-token-file'],
  403: ['PERMISSION_DENIED', 'the policy of the token does not permit this operation in the key service'],
  404: ['KEY_NOT_FOUND', 'the key service has no such key or mount; check vault-key and vault-mount'],
  405: ['CONFIGURATION', 'vault-address is not the address of a key service'],
  412: ['UNAVAILABLE', 'the key service has not replicated the token yet'],
  413: ['CONFIGURATION', 'the request exceeds the size limit of the key service'],
  429: ['THROTTLED', 'the rate limit of the key service is reached'],
};

/** Errors with status 400 differ only by their text. */
const byText: readonly (readonly [RegExp, KeyProviderError['category'], string])[] = [
  [/key not found/i, 'KEY_NOT_FOUND', 'the key service has no such key'],
  [/disallowed by policy|too old|version is not allowed/i, 'KEY_DISABLED', 'this version of the key is disabled'],
  [
    /authentication failed|invalid ciphertext|unable to decrypt|invalid base64|not decode|no prefix/i,
    'INVALID_CIPHERTEXT',
    'the wrapped key was altered or belongs elsewhere',
  ],
];

export function toRejection(status: number, errors: readonly string[]): KeyProviderError {
  const text = errors.join('; ');
  const mapped =
    byStatus[status] ?? (status === 400 ? byText.find(([words]) => words.test(text))?.slice(1) : undefined);
  if (mapped) return new KeyProviderError(mapped[0] as KeyProviderError['category'], mapped[1] as string);
  if (status >= 470) return new KeyProviderError('UNAVAILABLE', `the key service cannot answer now (HTTP ${status})`);
  return new KeyProviderError('CONFIGURATION', `the key service rejected this request (HTTP ${status})`);
}

/** For calls without a response. The cause is for the log. */
export function toOutage(error: unknown): KeyProviderError {
  if (error instanceof KeyProviderError) return error;
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const isLate =
    (error instanceof Error && error.name === 'TimeoutError') || /TIMEOUT|ETIMEDOUT/.test(errnoOf(inner) ?? '');
  return isLate
    ? new KeyProviderError('TIMEOUT', 'the key service did not answer in time', error)
    : new KeyProviderError('UNAVAILABLE', 'the key service cannot be reached', error);
}
