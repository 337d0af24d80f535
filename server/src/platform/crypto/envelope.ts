// Envelopes: a file's data key, wrapped by a key provider and bound to whom it is for
// (docs/spec/content-encryption.md, section 7). Refuses to open an envelope under any other binding than the one it was
// made for. Stores nothing.
import { hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { failureCategories } from '@recordproof/shared/api/key-rotation.ts';
import { fitsKeyCheck, type KeyPurpose, toKeyCheck } from './key-check.ts';

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

  /** The provider is at fault, not the envelope: whatever was asked can succeed once the provider works again. */
  get isOutage(): boolean {
    return this.category !== 'INVALID_CIPHERTEXT' && this.category !== 'INTERNAL';
  }
}

export type KeyOperation = 'wrap' | 'unwrap' | 'read-key';

export type WrappedKey = { readonly keyVersion: string; readonly algorithm: string; readonly wrapped: Uint8Array };

/**
 * Whatever keeps wrapping keys. Rejects with KeyProviderError only. `binding` is a 32-byte digest that an unwrap must
 * repeat: a provider has to authenticate it, not merely store it. Unwrap serves every version that still exists.
 */
export type KeyProvider = {
  readonly id: string;
  readonly contract: number;
  /** What it is able to do; a policy that needs more is refused. */
  readonly operations: readonly KeyOperation[];
  /** The algorithm names that wrap may answer with, and that unwrap accepts. */
  readonly algorithms: readonly string[];
  /** The version that the next wrap will use. */
  activeKeyVersion(): Promise<string>;
  wrap(dataKey: KeyObject, binding: Uint8Array): Promise<WrappedKey>;
  unwrap(wrapped: WrappedKey, binding: Uint8Array): Promise<KeyObject>;
  /** Several in one call, where that saves something: each stands or falls alone, answered in the order asked. */
  readonly many?: {
    readonly mostAtOnce: number;
    wrap(wishes: readonly WrapWish[]): Promise<readonly Outcome<WrappedKey>[]>;
    unwrap(wishes: readonly UnwrapWish[]): Promise<readonly Outcome<KeyObject>[]>;
  };
};

export type WrapWish = { readonly dataKey: KeyObject; readonly binding: Uint8Array };
export type UnwrapWish = { readonly wrapped: WrappedKey; readonly binding: Uint8Array };
export type Outcome<T> = T | KeyProviderError;

/** What the work answers, or how it failed. */
export function attempt<T>(work: () => T): Outcome<T> {
  try {
    return work();
  } catch (error) {
    return toKeyFailure(error);
  }
}

export const toKeyFailure = (error: unknown): KeyProviderError =>
  error instanceof KeyProviderError ? error : new KeyProviderError('INTERNAL', 'the key provider broke', error);

/** Before a key is wrapped no envelope exists that could be damaged, whatever reason the provider gives. */
export function toWrapFailure(error: unknown): KeyProviderError {
  const failure = toKeyFailure(error);
  if (failure.category !== 'INVALID_CIPHERTEXT') return failure;
  return new KeyProviderError('INVALID_RESPONSE', 'the key provider does not wrap this key', failure);
}

export type RecipientType = 'OWNER' | 'SHARE' | 'FRIEND_SHARE' | 'UPLOAD';

/** Everything that an envelope is for. UPLOAD holds the key of an unfinished upload: fileId is then its session, fileHash empty. */
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
  /** Lowercase hex; lets a mix-up be told apart from a damaged key without asking the provider. */
  readonly aadDigest: string;
  /** Lowercase hex; null or absent in envelopes that an older server made. */
  readonly keyCheck?: string | null;
};

const label = 'recordproof-envelope-v1';
const dataKeyBytes = 32;

/** Digest over all fields, each preceded by its length (docs/spec/content-encryption.md, section 7). */
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

export const toPurpose = (binding: EnvelopeBinding): KeyPurpose => ({
  fileNonce: binding.fileNonce,
  digest: toBindingDigest(binding),
});

/** Opens the new envelope again before anybody relies on it: what a provider wraps wrongly would be lost for good. */
export async function sealEnvelope(
  provider: KeyProvider,
  dataKey: KeyObject,
  binding: EnvelopeBinding,
): Promise<Envelope> {
  const purpose = toPurpose(binding);
  const wrapped = await provider.wrap(dataKey, purpose.digest).catch(error => Promise.reject(toWrapFailure(error)));
  const envelope = toEnvelope(provider, wrapped, { dataKey, purpose });
  assertReopened(dataKey, await provider.unwrap(envelope, purpose.digest).catch(toKeyFailure));
  return envelope;
}

/** `reopened`: what the provider made of an envelope that it has just wrapped. */
export function assertReopened(dataKey: KeyObject, reopened: Outcome<KeyObject>): void {
  if (reopened instanceof KeyProviderError && reopened.category !== 'INVALID_CIPHERTEXT') throw reopened;
  if (!(reopened instanceof KeyProviderError) && isSameKey(dataKey, reopened)) return;
  const cause = reopened instanceof KeyProviderError ? reopened : undefined;
  throw new KeyProviderError('INVALID_RESPONSE', 'the new envelope does not open to the same key', cause);
}

type Wrapped = { readonly dataKey: KeyObject; readonly purpose: KeyPurpose };

/** What the provider answered becomes an envelope, if it is what the provider says it answers. */
export function toEnvelope(
  { id, contract, algorithms }: KeyProvider,
  { keyVersion, algorithm, wrapped }: WrappedKey,
  { dataKey, purpose }: Wrapped,
): Envelope {
  if (!algorithms.includes(algorithm)) {
    throw new KeyProviderError('INVALID_RESPONSE', 'the key provider answered with an algorithm it does not declare');
  }
  const aadDigest = Buffer.from(purpose.digest).toString('hex');
  return { keyVersion, algorithm, wrapped, provider: id, contract, aadDigest, keyCheck: toKeyCheck(dataKey, purpose) };
}

/** Who opens it, and what is asked of them; refuses whatever could not come out well. */
export function toUnwrapWish(
  providers: readonly KeyProvider[],
  envelope: Envelope,
  digest: Uint8Array,
): { readonly provider: KeyProvider; readonly wish: UnwrapWish } {
  const claimed = Buffer.from(envelope.aadDigest, 'hex');
  if (claimed.length !== digest.length || !timingSafeEqual(claimed, digest)) {
    throw new KeyProviderError('INVALID_CIPHERTEXT', 'the envelope was made for another file, recipient or tenant');
  }
  const provider = providers.find(({ id, contract }) => id === envelope.provider && contract === envelope.contract);
  if (provider === undefined) {
    throw new KeyProviderError(
      'CONFIGURATION',
      `the key provider ${envelope.provider}/${envelope.contract} is not configured here`,
    );
  }
  if (!provider.algorithms.includes(envelope.algorithm)) {
    throw new KeyProviderError(
      'INVALID_CIPHERTEXT',
      `the key provider ${envelope.provider} does not know this algorithm`,
    );
  }
  return { provider, wish: { wrapped: envelope, binding: digest } };
}

export async function openEnvelope(
  providers: readonly KeyProvider[],
  envelope: Envelope,
  binding: EnvelopeBinding,
): Promise<KeyObject> {
  const purpose = toPurpose(binding);
  const { provider, wish } = toUnwrapWish(providers, envelope, purpose.digest);
  return checkOpened(envelope, await provider.unwrap(wish.wrapped, wish.binding), purpose);
}

/** The key that an envelope was opened to, if it is the one that was wrapped. */
export function checkOpened({ keyCheck }: Envelope, dataKey: KeyObject, purpose: KeyPurpose): KeyObject {
  checkDataKey(dataKey);
  if (fitsKeyCheck(keyCheck, dataKey, purpose)) return dataKey;
  throw new KeyProviderError('INVALID_RESPONSE', 'the key provider answered with another key than it was given');
}

export function checkDataKey(dataKey: KeyObject): KeyObject {
  if (dataKey.symmetricKeySize !== dataKeyBytes) {
    throw new KeyProviderError('INVALID_RESPONSE', 'the key provider answered with a key of the wrong length');
  }
  return dataKey;
}

/** Takes the same time for keys that differ early, late or not at all. */
export function isSameKey(left: KeyObject, right: KeyObject): boolean {
  const [a, b] = [left.export(), right.export()];
  const same = a.length === b.length && timingSafeEqual(a, b);
  a.fill(0);
  b.fill(0);
  return same;
}
