// Types of the package that loads PKCS#11 modules. npm removes the package with its types if it cannot be built;
// declared here, the code type-checks without it.
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
type Failures =
  | 'CRYPTOKI_ALREADY_INITIALIZED'
  | 'DATA_INVALID'
  | 'DEVICE_MEMORY'
  | 'DEVICE_REMOVED'
  | 'ENCRYPTED_DATA_INVALID'
  | 'ENCRYPTED_DATA_LEN_RANGE'
  | 'FUNCTION_FAILED'
  | 'FUNCTION_NOT_SUPPORTED'
  | 'GENERAL_ERROR'
  | 'KEY_FUNCTION_NOT_PERMITTED'
  | 'KEY_HANDLE_INVALID'
  | 'KEY_SIZE_RANGE'
  | 'KEY_TYPE_INCONSISTENT'
  | 'MECHANISM_INVALID'
  | 'MECHANISM_PARAM_INVALID'
  | 'OBJECT_HANDLE_INVALID'
  | 'PIN_EXPIRED'
  | 'PIN_INCORRECT'
  | 'PIN_INVALID'
  | 'PIN_LEN_RANGE'
  | 'PIN_LOCKED'
  | 'SESSION_CLOSED'
  | 'SESSION_COUNT'
  | 'SESSION_HANDLE_INVALID'
  | 'TOKEN_NOT_PRESENT'
  | 'USER_ALREADY_LOGGED_IN'
  | 'USER_NOT_LOGGED_IN'
  | 'USER_PIN_NOT_INITIALIZED'
  | 'USER_TYPE_INVALID';

export type FailureName = `CKR_${Failures}`;
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
