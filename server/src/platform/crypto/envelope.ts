// Envelopes: a file's data key, wrapped by a key provider and bound to its purpose (docs/spec/content-encryption.md,
// section 7). An envelope opens only under the binding it was made for. Nothing is stored here.
import { createSecretKey, hash, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { failureCategories } from '@recordproof/shared/api/key-rotation.ts';

export type KeyFailure = (typeof failureCategories)[number];

export class KeyProviderError extends Error {
  readonly category: KeyFailure;

  constructor(category: KeyFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'KeyProviderError';
    this.category = category;
  }

  get isWorthRetrying(): boolean {
    return this.category === 'THROTTLED' || this.category === 'TIMEOUT' || this.category === 'UNAVAILABLE';
  }

  /** True if the provider failed rather than the envelope: the call can succeed once the provider works again. */
  get isOutage(): boolean {
    return this.category !== 'INVALID_CIPHERTEXT' && this.category !== 'INTERNAL';
  }
}

/** The provider answered with a data key, but not with that of the file: no outage of the provider explains this. */
export class WrongDataKey extends KeyProviderError {
  constructor(message: string, cause?: unknown) {
    super('INVALID_RESPONSE', message, cause);
  }
}

export type KeyOperation = 'wrap' | 'unwrap' | 'read-key';

export type WrappedKey = { readonly keyVersion: string; readonly algorithm: string; readonly wrapped: Uint8Array };

/**
 * A key provider wraps data keys. It rejects with KeyProviderError only. `binding` is a 32-byte digest that an unwrap
 * must repeat; the provider must authenticate it, not only store it. Unwrap supports every version that still exists.
 */
export type KeyProvider = {
  readonly id: string;
  readonly contract: number;
  /** Supported operations; policies that need others are rejected. */
  readonly operations: readonly KeyOperation[];
  /** Algorithm names that wrap may return and unwrap accepts. */
  readonly algorithms: readonly string[];
  /** The version that the next wrap uses. */
  activeKeyVersion(): Promise<string>;
  wrap(dataKey: KeyObject, binding: Uint8Array): Promise<WrappedKey>;
  unwrap(wrapped: WrappedKey, binding: Uint8Array): Promise<KeyObject>;
  /** Batch calls, if they save round trips: each key succeeds or fails alone; results are in the order of the input. */
  readonly many?: {
    readonly mostAtOnce: number;
    wrap(requests: readonly WrapRequest[]): Promise<readonly Outcome<WrappedKey>[]>;
    unwrap(requests: readonly UnwrapRequest[]): Promise<readonly Outcome<KeyObject>[]>;
  };
};

export type WrapRequest = { readonly dataKey: KeyObject; readonly binding: Uint8Array };
export type UnwrapRequest = { readonly wrapped: WrappedKey; readonly binding: Uint8Array };
export type Outcome<T> = T | KeyProviderError;

/** The subject of error sentences. */
export const toProviderName = ({ id }: Pick<KeyProvider, 'id'>): string => `the key provider ${id}`;

/** The result of the work, or its error as a value. */
export function attempt<T>(work: () => T, providerName?: string): Outcome<T> {
  try {
    return work();
  } catch (error) {
    return toKeyFailure(error, providerName);
  }
}

export const toKeyFailure = (error: unknown, providerName = 'the key provider'): KeyProviderError =>
  error instanceof KeyProviderError
    ? error
    : new KeyProviderError('INTERNAL', `${providerName} failed unexpectedly: see the server log`, error);

/** Before wrapping there is no envelope that could be damaged, whatever the provider reports. */
export function toWrapFailure(error: unknown, providerName = 'the key provider'): KeyProviderError {
  const failure = toKeyFailure(error, providerName);
  if (failure.category !== 'INVALID_CIPHERTEXT') return failure;
  return new KeyProviderError('INVALID_RESPONSE', `${providerName} rejected the key to wrap: see its log`, failure);
}

export type RecipientType = 'OWNER' | 'SHARE' | 'FRIEND_SHARE' | 'UPLOAD';

/**
 * The purpose of an envelope. UPLOAD holds the key of an unfinished upload: its fileId is the session, its fileHash is
 * empty.
 */
export type EnvelopeBinding = {
  readonly tenantId: string;
  readonly fileId: string;
  readonly fileHash: string;
  readonly recipientType: RecipientType;
  readonly recipientId: string;
  readonly suite: string;
  readonly fileNonce: Uint8Array;
};

export type Envelope = WrappedKey & {
  readonly provider: string;
  readonly contract: number;
  /** Lowercase hex; distinguishes a mixed-up envelope from a damaged key without asking the provider. */
  readonly aadDigest: string;
  /** Lowercase hex; null or absent in envelopes of older servers. */
  readonly keyCheck?: string | null;
};

const label = 'recordproof-envelope-v1';
const dataKeyBytes = 32;

/** Digest of all fields, each prefixed with its length (docs/spec/content-encryption.md, section 7). */
function toBindingDigest(binding: EnvelopeBinding): Buffer {
  const { tenantId, fileId, fileHash, recipientType, recipientId, suite, fileNonce } = binding;
  const parts = [label, tenantId, fileId, fileHash, recipientType, recipientId, suite, fileNonce].flatMap(field => {
    const bytes = typeof field === 'string' ? Buffer.from(field, 'utf8') : field;
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return hash('sha256', Buffer.concat(parts), 'buffer');
}

const keyCheckLabel = Buffer.from('recordproof-key-check-v1', 'latin1');
const checkBytes = 16;

/** The purpose of a key: the file's nonce, and the binding digest of its envelope. */
export type KeyPurpose = { readonly fileNonce: Uint8Array; readonly digest: Uint8Array };

/** Check value of a data key, in lowercase hex: tells a wrong key from damaged bytes, and reveals nothing of it. */
export function toKeyCheck(dataKey: KeyObject, { fileNonce, digest }: KeyPurpose): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(keyCheckLabel.length);
  const info = Buffer.concat([length, keyCheckLabel, digest]);
  return Buffer.from(hkdfSync('sha256', dataKey, fileNonce, info, checkBytes)).toString('hex');
}

/** True without a check value, as in envelopes of older servers. */
function fitsKeyCheck(noted: string | null | undefined, dataKey: KeyObject, purpose: KeyPurpose): boolean {
  if (noted === null || noted === undefined) return true;
  const [expected, actual] = [Buffer.from(noted, 'hex'), Buffer.from(toKeyCheck(dataKey, purpose), 'hex')];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

export const toPurpose = (binding: EnvelopeBinding): KeyPurpose => ({
  fileNonce: binding.fileNonce,
  digest: toBindingDigest(binding),
});

/** Unwraps the new envelope before it is used: a wrongly wrapped key would be lost for good. */
export async function sealEnvelope(
  provider: KeyProvider,
  dataKey: KeyObject,
  binding: EnvelopeBinding,
): Promise<Envelope> {
  const purpose = toPurpose(binding);
  const name = toProviderName(provider);
  const wrapped = await provider
    .wrap(dataKey, purpose.digest)
    .catch(error => Promise.reject(toWrapFailure(error, name)));
  const envelope = toEnvelope(provider, wrapped, { dataKey, purpose });
  assertReopened(dataKey, await provider.unwrap(envelope, purpose.digest).catch(error => toKeyFailure(error, name)));
  return envelope;
}

/** `reopened`: the result of unwrapping an envelope that was just wrapped. */
export function assertReopened(dataKey: KeyObject, reopened: Outcome<KeyObject>): void {
  if (reopened instanceof KeyProviderError && reopened.category !== 'INVALID_CIPHERTEXT') throw reopened;
  if (!(reopened instanceof KeyProviderError) && isSameKey(dataKey, reopened)) return;
  const cause = reopened instanceof KeyProviderError ? reopened : undefined;
  throw new KeyProviderError('INVALID_RESPONSE', 'the new envelope does not open to the same key', cause);
}

type Wrapped = { readonly dataKey: KeyObject; readonly purpose: KeyPurpose };

/** The provider's response as an envelope, if the algorithm is one it declares. */
export function toEnvelope(
  { id, contract, algorithms }: KeyProvider,
  { keyVersion, algorithm, wrapped }: WrappedKey,
  { dataKey, purpose }: Wrapped,
): Envelope {
  if (!algorithms.includes(algorithm)) {
    throw new KeyProviderError(
      'INVALID_RESPONSE',
      `the key provider ${id} wrapped with ${algorithm.slice(0, 40)}, which is none of its algorithms (${algorithms.join(', ')})`,
    );
  }
  const aadDigest = Buffer.from(purpose.digest).toString('hex');
  return { keyVersion, algorithm, wrapped, provider: id, contract, aadDigest, keyCheck: toKeyCheck(dataKey, purpose) };
}

/** The provider of an envelope and the unwrap request; rejects requests that cannot succeed. */
export function toUnwrapRequest(
  providers: readonly KeyProvider[],
  envelope: Envelope,
  digest: Uint8Array,
): { readonly provider: KeyProvider; readonly request: UnwrapRequest } {
  const claimed = Buffer.from(envelope.aadDigest, 'hex');
  if (claimed.length !== digest.length || !timingSafeEqual(claimed, digest)) {
    throw new KeyProviderError('INVALID_CIPHERTEXT', 'the envelope was made for another file, recipient or tenant');
  }
  const provider = providers.find(({ id, contract }) => id === envelope.provider && contract === envelope.contract);
  if (provider === undefined) {
    throw new KeyProviderError(
      'CONFIGURATION',
      `the key provider ${envelope.provider}/${envelope.contract} is not configured on this server; add its settings again`,
    );
  }
  if (!provider.algorithms.includes(envelope.algorithm)) {
    throw new KeyProviderError(
      'INVALID_CIPHERTEXT',
      `the key provider ${envelope.provider} does not support the algorithm ${envelope.algorithm} of this envelope`,
    );
  }
  return { provider, request: { wrapped: envelope, binding: digest } };
}

export async function openEnvelope(
  providers: readonly KeyProvider[],
  envelope: Envelope,
  binding: EnvelopeBinding,
): Promise<KeyObject> {
  const purpose = toPurpose(binding);
  const { provider, request } = toUnwrapRequest(providers, envelope, purpose.digest);
  return checkOpened(envelope, await provider.unwrap(request.wrapped, request.binding), purpose);
}

/** The unwrapped key, if it is the one that was wrapped. */
export function checkOpened(
  { keyCheck, provider, keyVersion }: Envelope,
  dataKey: KeyObject,
  purpose: KeyPurpose,
): KeyObject {
  checkDataKey(dataKey);
  if (fitsKeyCheck(keyCheck, dataKey, purpose)) return dataKey;
  throw new WrongDataKey(
    `key provider ${provider}, key version ${keyVersion}: the unwrapped key is not the key that was wrapped; check that this version was not replaced`,
  );
}

export function checkDataKey(dataKey: KeyObject): KeyObject {
  if (dataKey.symmetricKeySize !== dataKeyBytes) {
    throw new KeyProviderError(
      'INVALID_RESPONSE',
      `the key provider returned a key of ${dataKey.symmetricKeySize} bytes instead of ${dataKeyBytes}; check that this key version was not replaced`,
    );
  }
  return dataKey;
}

/** For a key that is to be wrapped. */
export function assertDataKey({ length }: Uint8Array): void {
  if (length !== dataKeyBytes)
    throw new KeyProviderError('INTERNAL', `the data key has ${length} bytes, not ${dataKeyBytes}`);
}

/** Constant time. */
export function isSameKey(left: KeyObject, right: KeyObject): boolean {
  const [a, b] = [left.export(), right.export()];
  const same = a.length === b.length && timingSafeEqual(a, b);
  a.fill(0);
  b.fill(0);
  return same;
}

/** Wraps a fresh data key and unwraps it again, as an upload would; null if that works. */
export async function tryProvider(provider: KeyProvider): Promise<KeyProviderError | null> {
  const dataKey = createSecretKey(randomBytes(dataKeyBytes));
  const binding = randomBytes(dataKeyBytes);
  const name = toProviderName(provider);
  try {
    const wrapped = await provider.wrap(dataKey, binding);
    assertReopened(dataKey, await provider.unwrap(wrapped, binding).catch(error => toKeyFailure(error, name)));
    return null;
  } catch (error) {
    return toKeyFailure(error, name);
  }
}
