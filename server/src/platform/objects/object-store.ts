// The promises that every object store keeps, its errors, and the rule for keys. It knows nothing of files,
// tenants or encryption: an object is a key and immutable bytes. test/contracts/object-store.test.ts holds
// every implementation to the words below.

/** Blocks are given away: the producer must not write into one after yielding it. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export type PutOptions = {
  /** Exact length, when known. Another length fails with LENGTH_MISMATCH. Without it the stream may have any length. */
  readonly size?: number;
  /** Lowercase hex that the bytes must have, else HASH_MISMATCH. */
  readonly sha256?: string;
  readonly signal?: AbortSignal;
  /** The blocks belong to the store alone: it may free their memory as soon as they are stored. */
  readonly ownsBlocks?: boolean;
};

export type CreateOptions = PutOptions & { readonly size: number };

export type StoredObject = { readonly size: number; readonly sha256: string; readonly etag: string };

export type ObjectHead = {
  readonly size: number;
  /** Opaque, without quotes; changes when the bytes change. */
  readonly etag: string;
  /** What the store wrote beside the bytes when it received them; absent where it could not. Not a fresh digest. */
  readonly sha256?: string;
};

export type ReadOptions = {
  /** First byte, default 0. */
  readonly start?: number;
  /** One past the last byte, default (and at most) the size. */
  readonly end?: number;
  /** Digest of exactly the bytes of this read. The last block is held back until it is proven. */
  readonly sha256?: string;
  readonly signal?: AbortSignal;
};

export type ObjectRead = ObjectHead & {
  readonly start: number;
  readonly end: number;
  readonly body: AsyncIterable<Uint8Array>;
};

export type ListedObject = { readonly key: string; readonly size: number; readonly modifiedAt: Date };

export type ListOptions = {
  /** A key that an earlier walk with the same prefix came by, whether or not it is still there. */
  readonly after?: string;
};

export type PresignedRequest = {
  readonly method: 'PUT' | 'GET';
  readonly url: string;
  /** Headers that belong to the signature and must be sent as they are. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAtEpochSeconds: number;
};

export type StoreNode = { readonly name: string; readonly online: boolean; readonly usagePercent?: number };

export type StoreHealth = {
  readonly healthyNodes: number;
  readonly totalNodes: number;
  /** 0..100; absent when nobody knows the capacity. */
  readonly usagePercent?: number;
  readonly nodes: readonly StoreNode[];
};

/** Where an object goes: its file, the folder that learns its name, and what the file is called until it is whole. */
export type ObjectPlace = { readonly path: string; readonly parent: string; readonly temporary: string };

/** Objects that are files of this machine, for those who read and write them in another thread. */
export type ObjectFiles = {
  /** The object's bytes from the first on, then a footer. */
  pathOf(key: string): string;
  /** Where to store the object (disk-write.ts) instead of by `put`; fails as `put` does before the first byte. */
  prepare(key: string): Promise<ObjectPlace>;
  /** Another one after every write and replacement; null when there is no such object. */
  findStamp(key: string): Promise<string | null>;
};

export type ObjectStore = AsyncDisposable & {
  readonly backend: 'DISK' | 'S3';
  readonly files?: ObjectFiles;

  /**
   * Stores the stream under the key, replacing what was there, however damaged. Durable when it resolves. When it rejects, a
   * reader finds either what was there before or the whole new object, never a part. Memory is bounded whatever the length.
   */
  put(key: string, source: ByteSource, options?: PutOptions): Promise<StoredObject>;

  /** As put, but fails with EXISTS when the key is taken. Of any number of racing calls exactly one resolves. */
  create(key: string, source: ByteSource, options: CreateOptions): Promise<StoredObject>;

  /**
   * Opens a read; rejects with NOT_FOUND, RANGE_INVALID or CORRUPT before the first byte where it can know. The body fails
   * with REPLACED when another object stands under the key before it has begun.
   * The body never ends cleanly on fewer bytes than `end - start`, nor with bytes of another digest than asked for.
   * Each block belongs to the consumer. Leaving the loop early frees everything; a read never iterated holds nothing on disk.
   */
  get(key: string, options?: ReadOptions): Promise<ObjectRead>;

  /**
   * The first bytes of what lies under the key, however damaged the rest of it is; fewer where there are no more. Nothing
   * about them is proven. Rejects with NOT_FOUND when nothing is there.
   */
  readStart(key: string, bytes: number, signal?: AbortSignal): Promise<Uint8Array>;

  findHead(key: string): Promise<ObjectHead | null>;

  /** Reads every byte again and digests it: the answer is what a reader would get now. */
  digest(key: string, signal?: AbortSignal): Promise<{ readonly size: number; readonly sha256: string }>;

  /**
   * Makes `to` hold the bytes of `from` without moving them through this process. Replaces, may be called twice, durable
   * when it resolves. With an etag only those very bytes are copied, else it fails with REPLACED and leaves `to` alone.
   */
  copy(from: string, to: string, options?: { readonly etag?: string }): Promise<ObjectHead>;

  /** Durable when it resolves. An absent key is no error. */
  delete(key: string): Promise<void>;

  /**
   * Every complete object whose key starts with the prefix, in an order of the store's own, which is the same every time.
   * With `after` the walk goes on behind that key. Objects that come or go meanwhile may be missed.
   */
  list(prefix: string, options?: ListOptions): AsyncIterable<ListedObject>;

  /** A URL that lets its holder store exactly `size` bytes under this key, until it expires. */
  presignPut(
    key: string,
    options: { readonly size: number; readonly expiresInSeconds: number },
  ): Promise<PresignedRequest>;

  presignGet(key: string, options: { readonly expiresInSeconds: number }): Promise<PresignedRequest>;

  /** Asks every node now. Never rejects: an unreachable node is counted. */
  probe(): Promise<StoreHealth>;

  /** Removes what writers that died left behind, once it is older than this; answers how many. Never an object. */
  sweepLeftovers(olderThanSeconds: number): Promise<number>;
};

export type ObjectStoreErrorKind =
  | 'INVALID_KEY'
  | 'NOT_FOUND'
  | 'EXISTS'
  | 'RANGE_INVALID'
  | 'LENGTH_MISMATCH'
  | 'HASH_MISMATCH'
  | 'CORRUPT'
  | 'NO_SPACE'
  | 'DENIED'
  | 'DISK_FAILED'
  | 'SOURCE_FAILED'
  | 'TIMEOUT'
  | 'UNAVAILABLE'
  | 'REPLACED'
  | 'ABORTED'
  | 'FAILED';

/** `kind` tells callers what to do; TIMEOUT, UNAVAILABLE and REPLACED are worth another try. The message holds no secret and no URL. */
export class ObjectStoreError extends Error {
  readonly kind: ObjectStoreErrorKind;

  constructor(kind: ObjectStoreErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ObjectStoreError';
    this.kind = kind;
  }
}

const maxKeyBytes = 512;
const controlCharacters = /\p{Cc}/u;

/** A key is segments joined by single slashes: well-formed Unicode, no control character, no empty, `.` or `..` segment, no backslash. */
export function parseObjectKey(key: string): string {
  const refuse = (why: string): never => {
    throw new ObjectStoreError('INVALID_KEY', `this object key ${why}`);
  };
  if (key.length === 0) refuse('is empty');
  if (!key.isWellFormed()) refuse('is not well-formed Unicode');
  if (new TextEncoder().encode(key).length > maxKeyBytes) refuse(`is longer than ${maxKeyBytes} bytes`);
  if (controlCharacters.test(key) || key.includes('\\')) refuse('has a control character or a backslash in it');
  for (const segment of key.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') refuse('has an empty, "." or ".." segment');
  }
  return key;
}

/** Resolves a read's range against the size; an empty range is allowed only inside the object. */
export function parseRange(size: number, options: ReadOptions): { readonly start: number; readonly end: number } {
  const start = options.start ?? 0;
  const end = Math.min(options.end ?? size, size);
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || start > end) {
    throw new ObjectStoreError(
      'RANGE_INVALID',
      `bytes ${start} to ${end} do not lie inside an object of ${size} bytes`,
    );
  }
  return { start, end };
}

export const toAborted = (signal: AbortSignal | undefined): ObjectStoreError =>
  new ObjectStoreError('ABORTED', 'the caller gave up on this transfer', signal?.reason);

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw toAborted(signal);
}
