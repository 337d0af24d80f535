// The package that loads PKCS#11 modules: its types, and the meaning of its errors for wrap and unwrap. npm removes the
// package with its types if it cannot be built; declared here, the code type-checks without it.
import { type KeyFailure, KeyProviderError } from './envelope.ts';
import { importPkcs11 } from './pkcs11-package.ts';

export type Handle = Buffer;
type Attribute = { readonly type: number; readonly value?: string | number | boolean | Buffer };
export type Mechanism = { readonly mechanism: number; readonly parameter?: object };

/** A loaded module. Every call blocks, and throws a NativeError or a Pkcs11Error. */
export type Pkcs11Module = {
  load(path: string): void;
  C_Initialize(options?: { readonly flags: number }): void;
  C_Finalize(): void;
  C_GetSlotList(isTokenPresent: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_Login(session: Handle, user: number, pin: string): void;
  C_GenerateKey(session: Handle, mechanism: Mechanism, template: readonly Attribute[]): Handle;
  C_FindObjectsInit(session: Handle, template: readonly Attribute[]): void;
  C_FindObjects(session: Handle, most: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, template: readonly Attribute[]): { readonly value: Buffer }[];
  C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Encrypt(session: Handle, text: Buffer, room: Buffer): Buffer;
  C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Decrypt(session: Handle, text: Buffer, room: Buffer): Buffer;
};

type Attributes =
  | 'CLASS'
  | 'DECRYPT'
  | 'ENCRYPT'
  | 'EXTRACTABLE'
  | 'ID'
  | 'KEY_TYPE'
  | 'LABEL'
  | 'PRIVATE'
  | 'SENSITIVE'
  | 'TOKEN'
  | 'VALUE_LEN';
type Flags = 'OS_LOCKING_OK' | 'RW_SESSION' | 'SERIAL_SESSION';
type Numbers =
  | FailureName
  | `CKA_${Attributes}`
  | `CKF_${Flags}`
  | 'CKK_AES'
  | 'CKM_AES_GCM'
  | 'CKM_AES_KEY_GEN'
  | 'CKO_SECRET_KEY'
  | 'CKU_USER'
  | 'CK_PARAMS_AES_GCM_v240';

export type Pkcs11Library = Readonly<Record<Numbers, number>> & {
  readonly PKCS11: new () => Pkcs11Module;
  readonly NativeError: new (...args: never[]) => Error;
  readonly Pkcs11Error: new (...args: never[]) => Error & { readonly code: number };
};

/** Rejects if the package is not installed. */
export const loadPkcs11 = async (): Promise<Pkcs11Library> => (await importPkcs11()) as Pkcs11Library;

type FailureCode = `CKR_${string}`;

/** Modules agree on the codes, but less on their use: an unknown code counts as an outage, which is retried. */
const meanings = {
  PERMISSION_DENIED: [
    'the token rejected the PIN; check pkcs11-pin or pkcs11-pin-file',
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
} as const satisfies Partial<Record<KeyFailure, readonly [string, readonly FailureCode[]]>>;

const lostSession = [
  'CKR_SESSION_CLOSED',
  'CKR_SESSION_HANDLE_INVALID',
  'CKR_USER_NOT_LOGGED_IN',
  'CKR_KEY_HANDLE_INVALID',
  'CKR_OBJECT_HANDLE_INVALID',
  'CKR_DEVICE_REMOVED',
  'CKR_TOKEN_NOT_PRESENT',
] as const satisfies readonly FailureCode[];

const spoiltText = [
  'CKR_ENCRYPTED_DATA_INVALID',
  'CKR_ENCRYPTED_DATA_LEN_RANGE',
  'CKR_GENERAL_ERROR',
  'CKR_FUNCTION_FAILED',
  'CKR_DATA_INVALID',
] as const satisfies readonly FailureCode[];

type FailureName =
  | (typeof meanings)[keyof typeof meanings][1][number]
  | (typeof lostSession)[number]
  | (typeof spoiltText)[number]
  | 'CKR_CRYPTOKI_ALREADY_INITIALIZED'
  | 'CKR_USER_ALREADY_LOGGED_IN';

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
  return new KeyProviderError('INTERNAL', 'the PKCS#11 module failed unexpectedly: see the server log', error);
}
