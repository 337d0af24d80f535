// A PKCS#11 token and its AES wrapping keys. Every call blocks, so it runs in a thread of its own (pkcs11-thread.ts).
// Keys are found by label, and their ids are versions; key values never leave the token. Exportable keys are rejected.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  assertDataKey,
  attempt,
  KeyProviderError,
  type Outcome,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';
import {
  type Handle,
  isInvalidCiphertext,
  isLostSession,
  type Mechanism,
  type Pkcs11Library,
  type Pkcs11Module,
  toModuleFailure,
} from './pkcs11-library.ts';

export const hardwareAlgorithm = 'PKCS11-AES256-GCM';

export type TokenKeyAddress = { readonly module: string; readonly token: string; readonly key: string };

type Session = { readonly module: Pkcs11Module; readonly session: Handle };
type TokenKey = { readonly version: string; readonly handle: Handle; readonly mayWrap: boolean };

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const wrappedBytes = nonceBytes + keyBytes + tagBytes;
const mostKeys = 1000;
/** Cache time of the key list; a new version is used after this time at the latest. */
const keysKeptMs = 10_000;

const invalid = () => new KeyProviderError('INVALID_CIPHERTEXT', 'the wrapped key was altered or belongs elsewhere');
const configuration = (message: string) => new KeyProviderError('CONFIGURATION', message);

const byNumber = (a: string, b: string): number => Number(BigInt(`0x${a}`) - BigInt(`0x${b}`));

export class Token {
  readonly #library: Pkcs11Library;
  readonly #module: Pkcs11Module;
  readonly #keyAddress: TokenKeyAddress;
  #session: Session | undefined;
  #keys: { readonly until: number; readonly list: readonly TokenKey[] } | undefined;
  /** Repeated attempts with it would lock the token. */
  #rejectedPin: string | undefined;

  constructor(library: Pkcs11Library, keyAddress: TokenKeyAddress) {
    this.#library = library;
    this.#keyAddress = keyAddress;
    this.#module = new library.PKCS11();
    this.#module.load(keyAddress.module);
    try {
      this.#module.C_Initialize({ flags: library.CKF_OS_LOCKING_OK });
    } catch (error) {
      if (!this.#is(error, library.CKR_CRYPTOKI_ALREADY_INITIALIZED)) throw error;
    }
  }

  /** The version that wraps new keys. */
  findVersion(pin: string): string {
    this.#keys = undefined;
    return this.#within(pin, session => this.#newest(session).version);
  }

  wrap(pin: string, requests: readonly WrapRequest[]): Outcome<WrappedKey>[] {
    return requests.map(({ dataKey, binding }) =>
      attempt(() =>
        this.#within(pin, session => {
          const key = this.#newest(session);
          const plain = dataKey.export();
          try {
            const wrapped = this.#seal(session, key.handle, plain, binding);
            return { keyVersion: key.version, algorithm: hardwareAlgorithm, wrapped };
          } finally {
            plain.fill(0);
          }
        }),
      ),
    );
  }

  unwrap(pin: string, requests: readonly UnwrapRequest[]): Outcome<KeyObject>[] {
    return requests.map(({ wrapped, binding }) =>
      attempt(() =>
        this.#within(pin, session => {
          const key = this.#keyOf(session, wrapped.keyVersion);
          const plain = this.#open(session, key, wrapped.wrapped, binding);
          try {
            return createSecretKey(plain);
          } finally {
            plain.fill(0);
          }
        }),
      ),
    );
  }

  /** Opens a new session and retries once if the token has dropped the old one. */
  #within<T>(pin: string, work: (session: Session) => T): T {
    for (let isFirst = true; ; isFirst = false) {
      try {
        this.#session ??= this.#openSession(pin);
        return work(this.#session);
      } catch (error) {
        if (error instanceof KeyProviderError) throw error;
        if (isLostSession(this.#library, error)) this.#forget();
        else throw toModuleFailure(this.#library, error);
        if (!isFirst) throw toModuleFailure(this.#library, error);
      }
    }
  }

  #forget(): void {
    const lost = this.#session;
    this.#session = undefined;
    this.#keys = undefined;
    try {
      if (lost) this.#module.C_CloseSession(lost.session);
    } catch {
      // It is already closed.
    }
  }

  #openSession(pin: string): Session {
    const { CKF_SERIAL_SESSION, CKU_USER, CKR_USER_ALREADY_LOGGED_IN, CKR_PIN_INCORRECT } = this.#library;
    if (pin === this.#rejectedPin)
      throw new KeyProviderError(
        'PERMISSION_DENIED',
        'the PKCS#11 token rejected the PIN, which is not tried again; correct pkcs11-pin, or the file of pkcs11-pin-file, and restart the server',
      );
    const session = this.#module.C_OpenSession(this.#findSlot(), CKF_SERIAL_SESSION);
    try {
      this.#module.C_Login(session, CKU_USER, pin);
    } catch (error) {
      if (!this.#is(error, CKR_USER_ALREADY_LOGGED_IN)) {
        if (this.#is(error, CKR_PIN_INCORRECT)) this.#rejectedPin = pin;
        this.#module.C_CloseSession(session);
        throw error;
      }
    }
    return { module: this.#module, session };
  }

  #findSlot(): Handle {
    const slot = this.#module
      .C_GetSlotList(true)
      .find(each => this.#module.C_GetTokenInfo(each).label.trim() === this.#keyAddress.token);
    if (slot === undefined)
      throw new KeyProviderError(
        'UNAVAILABLE',
        `no PKCS#11 token has the label ${this.#keyAddress.token} (pkcs11-token)`,
      );
    return slot;
  }

  #newest(session: Session): TokenKey {
    const newest = this.#list(session).findLast(({ mayWrap }) => mayWrap);
    if (newest) return newest;
    throw new KeyProviderError(
      'KEY_NOT_FOUND',
      `the PKCS#11 token has no AES key with the label ${this.#keyAddress.key} (pkcs11-key) that permits encryption`,
    );
  }

  #keyOf(session: Session, version: string): TokenKey {
    const find = () => this.#list(session).find(key => key.version === version);
    const cached = find();
    if (cached) return cached;
    this.#keys = undefined;
    const found = find();
    if (found) return found;
    throw new KeyProviderError(
      'KEY_NOT_FOUND',
      `the PKCS#11 token has no key of version ${version}; restore version ${version} from a backup of the token, or run the rotation on a server whose token has it`,
    );
  }

  /** By id, which counts upwards. */
  #list({ module, session }: Session): readonly TokenKey[] {
    if (this.#keys && performance.now() < this.#keys.until) return this.#keys.list;
    const { CKA_CLASS, CKO_SECRET_KEY, CKA_LABEL } = this.#library;
    module.C_FindObjectsInit(session, [
      { type: CKA_CLASS, value: CKO_SECRET_KEY },
      { type: CKA_LABEL, value: this.#keyAddress.key },
    ]);
    let handles: Handle[];
    try {
      handles = module.C_FindObjects(session, mostKeys);
    } finally {
      module.C_FindObjectsFinal(session);
    }
    const list = handles.map(handle => this.#describe({ module, session }, handle));
    list.sort((a, b) => byNumber(a.version, b.version) || a.version.localeCompare(b.version));
    const doubled = list.find(({ version }, index) => version === list[index + 1]?.version);
    if (doubled)
      throw configuration(`the token has two keys ${this.#keyAddress.key} with the id ${doubled.version}; remove one`);
    this.#keys = { until: performance.now() + keysKeptMs, list };
    return list;
  }

  #describe({ module, session }: Session, handle: Handle): TokenKey {
    const { CKA_ID, CKA_KEY_TYPE, CKA_VALUE_LEN, CKA_SENSITIVE, CKA_EXTRACTABLE, CKA_ENCRYPT, CKK_AES } = this.#library;
    const types = [CKA_ID, CKA_KEY_TYPE, CKA_VALUE_LEN, CKA_SENSITIVE, CKA_EXTRACTABLE, CKA_ENCRYPT];
    const found = module.C_GetAttributeValue(
      session,
      handle,
      types.map(type => ({ type })),
    );
    const [id, type, length, sensitive, extractable, encrypt] = found.map(({ value }) => value);
    const version = (id ?? Buffer.alloc(0)).toString('hex');
    if (version === '' || version.length > 128)
      throw configuration('a key of the token needs an id (CKA_ID) of 1 to 64 bytes');
    if (type?.readUInt8(0) !== CKK_AES || length?.readUInt8(0) !== keyBytes)
      throw configuration(`the key ${version} of the token is not an AES key of 256 bits`);
    if (sensitive?.[0] !== 1 || extractable?.[0] !== 0)
      throw configuration(`the key ${version} of the token can be taken out of it; make one that cannot`);
    return { version, handle, mayWrap: encrypt?.[0] === 1 };
  }

  #seal({ module, session }: Session, key: Handle, plain: Buffer, binding: Uint8Array): Buffer {
    assertDataKey(plain);
    const nonce = randomBytes(nonceBytes);
    module.C_EncryptInit(session, this.#toMechanism(nonce, binding), key);
    const sealed = module.C_Encrypt(session, plain, Buffer.alloc(keyBytes + tagBytes));
    if (sealed.length !== keyBytes + tagBytes)
      throw new KeyProviderError('INVALID_RESPONSE', 'the token returned something that is not a wrapped key');
    return Buffer.concat([nonce, sealed]);
  }

  #open(session: Session, key: TokenKey, wrapped: Uint8Array, binding: Uint8Array): Buffer {
    if (wrapped.length !== wrappedBytes) throw invalid();
    try {
      return this.#decrypt(session, key.handle, wrapped, binding);
    } catch (error) {
      // Modules report altered ciphertext differently; a test with fresh text tells whether the ciphertext or the token
      // is at fault. A key that only decrypts is tested by the one that wraps.
      if (!isInvalidCiphertext(this.#library, error)) throw error;
      const { handle } = key.mayWrap ? key : this.#newest(session);
      const probe = this.#seal(session, handle, randomBytes(keyBytes), binding);
      this.#decrypt(session, handle, probe, binding);
      throw invalid();
    }
  }

  #decrypt({ module, session }: Session, key: Handle, wrapped: Uint8Array, binding: Uint8Array): Buffer {
    const nonce = Buffer.from(wrapped.subarray(0, nonceBytes));
    module.C_DecryptInit(session, this.#toMechanism(nonce, binding), key);
    return module.C_Decrypt(session, Buffer.from(wrapped.subarray(nonceBytes)), Buffer.alloc(wrappedBytes));
  }

  #toMechanism(iv: Buffer, binding: Uint8Array): Mechanism {
    const { CKM_AES_GCM, CK_PARAMS_AES_GCM_v240 } = this.#library;
    const aad = Buffer.from(binding);
    const parameter = { type: CK_PARAMS_AES_GCM_v240, iv, aad, ivBits: nonceBytes * 8, tagBits: tagBytes * 8 };
    return { mechanism: CKM_AES_GCM, parameter };
  }

  #is(error: unknown, code: number): boolean {
    return error instanceof this.#library.Pkcs11Error && error.code === code;
  }
}
