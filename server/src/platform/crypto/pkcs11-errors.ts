// Meaning of PKCS#11 errors for wrap and unwrap. Modules agree on the codes, but less on their use: an unknown code
// counts as an outage, which is retried.
import { type KeyFailure, KeyProviderError } from './envelope.ts';
import type { FailureName, Pkcs11Library } from './pkcs11-library.ts';

const meanings: Readonly<Partial<Record<KeyFailure, readonly [string, readonly FailureName[]]>>> = {
  PERMISSION_DENIED: [
    'the token does not accept our PIN',
    [
      'CKR_PIN_INCORRECT',
      'CKR_PIN_INVALID',
      'CKR_PIN_LEN_RANGE',
      'CKR_PIN_EXPIRED',
      'CKR_PIN_LOCKED',
      'CKR_USER_NOT_LOGGED_IN',
      'CKR_USER_PIN_NOT_INITIALIZED',
      'CKR_USER_TYPE_INVALID',
    ],
  ],
  KEY_DISABLED: ['this version of the key is disabled for this operation', ['CKR_KEY_FUNCTION_NOT_PERMITTED']],
  INVALID_CIPHERTEXT: [
    'the wrapped key was altered or belongs elsewhere',
    ['CKR_ENCRYPTED_DATA_INVALID', 'CKR_ENCRYPTED_DATA_LEN_RANGE'],
  ],
  THROTTLED: ['the token has no room for another request now', ['CKR_SESSION_COUNT', 'CKR_DEVICE_MEMORY']],
  CONFIGURATION: [
    'the token cannot do AES-GCM with this key',
    [
      'CKR_MECHANISM_INVALID',
      'CKR_MECHANISM_PARAM_INVALID',
      'CKR_KEY_TYPE_INCONSISTENT',
      'CKR_KEY_SIZE_RANGE',
      'CKR_FUNCTION_NOT_SUPPORTED',
    ],
  ],
};

const lostSession = [
  'CKR_SESSION_CLOSED',
  'CKR_SESSION_HANDLE_INVALID',
  'CKR_USER_NOT_LOGGED_IN',
  'CKR_KEY_HANDLE_INVALID',
  'CKR_OBJECT_HANDLE_INVALID',
  'CKR_DEVICE_REMOVED',
  'CKR_TOKEN_NOT_PRESENT',
] as const satisfies readonly FailureName[];

const spoiltText = [
  'CKR_ENCRYPTED_DATA_INVALID',
  'CKR_ENCRYPTED_DATA_LEN_RANGE',
  'CKR_GENERAL_ERROR',
  'CKR_FUNCTION_FAILED',
  'CKR_DATA_INVALID',
] as const satisfies readonly FailureName[];

const isOneOf = (library: Pkcs11Library, error: unknown, names: readonly FailureName[]): boolean =>
  error instanceof library.Pkcs11Error && names.some(name => library[name] === error.code);

/** A new session may succeed. */
export const isLostSession = (library: Pkcs11Library, error: unknown): boolean => isOneOf(library, error, lostSession);

/** Either the ciphertext or the token is at fault. */
export const isInvalidCiphertext = (library: Pkcs11Library, error: unknown): boolean =>
  isOneOf(library, error, spoiltText);

/** The cause is for the log; it names a function and a code, never an argument. */
export function toModuleFailure(library: Pkcs11Library, error: unknown): KeyProviderError {
  for (const [category, [message, names]] of Object.entries(meanings))
    if (isOneOf(library, error, names)) return new KeyProviderError(category as KeyFailure, message, error);
  if (error instanceof library.NativeError)
    return new KeyProviderError('UNAVAILABLE', 'the token or its module fails', error);
  return new KeyProviderError('INTERNAL', 'the key provider failed unexpectedly', error);
}
