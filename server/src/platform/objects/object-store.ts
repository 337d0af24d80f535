// The object store's contract: promises, errors and key rules. An object is a key and immutable bytes; the store knows
// no files, tenants or encryption. test/contracts/object-store.test.ts checks every implementation.

/** The consumer owns the blocks: the producer must not write into one after yielding it. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export type PutOptions = {
  /** Exact length, if known; any other fails with LENGTH_MISMATCH. Without it the stream may have any length. */
  readonly size?: number;
  /** Expected digest in lowercase hex; any other fails with HASH_MISMATCH. */
  readonly sha256?: string;
  readonly signal?: AbortSignal;
  /** The store may free the blocks' memory once they are stored. */
  readonly ownsBlocks?: boolean;
};

export type CreateOptions = PutOptions & { readonly size: number };

export type StoredObject = { readonly size: number; readonly sha256: string; readonly etag: string };

export type ObjectHead = {
  readonly size: number;
  /** Opaque, without quotes; differs for different bytes. */
  readonly etag: string;
  /** The digest noted at upload, if the store could; not computed anew. */
  readonly sha256?: string;
};

export type ReadOptions = {
  /** First byte; default 0. */
  readonly start?: number;
  /** End (exclusive); default and maximum: the size. */
  readonly end?: number;
  /** Digest of exactly the bytes of this read. The last block is held back until it is verified. */
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
  /** A key from an earlier walk with the same prefix, which may be deleted by now. */
  readonly after?: string;
};

export type PresignedRequest = {
  readonly method: 'PUT' | 'GET';
  readonly url: string;
  /** Signed headers, to be sent unchanged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAtEpochSeconds: number;
};

export type StoreNode = { readonly name: string; readonly online: boolean; readonly usagePercent?: number };

export type StoreHealth = {
  readonly healthyNodes: number;
  readonly totalNodes: number;
  /** 0..100; absent if the capacity is unknown. */
  readonly usagePercent?: number;
  readonly nodes: readonly StoreNode[];
};

/** Paths of an object: its file, the parent folder to sync, and its temporary file. */
export type ObjectPaths = { readonly path: string; readonly parent: string; readonly temporary: string };

/** Direct access to objects that are local files, for other threads. */
export type ObjectFiles = {
  /** The file holds the object's bytes and then a footer. */
  pathOf(key: string): string;
  /**
   * Paths for storing the object directly (disk-write.ts) instead of by `put`; fails as `put` does before the first
   * byte.
   */
  prepare(key: string): Promise<ObjectPaths>;
  /** Changes with every write or replacement; null if there is no such object. */
  findStamp(key: string): Promise<string | null>;
};

export type ObjectStore = AsyncDisposable & {
  readonly backend: 'DISK' | 'S3';
  readonly files?: ObjectFiles;

  /**
   * Stores the stream under the key, replacing any object there, even a damaged one. Durable when it resolves. When it
   * rejects, readers see the old or the complete new object, never a part. Memory is bounded for any length.
   */
  put(key: string, source: ByteSource, options?: PutOptions): Promise<StoredObject>;

  /** Like put, but fails with EXISTS if the key is taken. Of concurrent calls exactly one resolves. */
  create(key: string, source: ByteSource, options: CreateOptions): Promise<StoredObject>;

  /**
   * Opens a read; rejects with NOT_FOUND, RANGE_INVALID or CORRUPT before the first byte where possible. If
   * another object replaces this one before the first byte, the body fails with REPLACED or has the bytes of before. It
   * never ends cleanly on fewer bytes than
   * `end - start` or with another digest than requested. Each block belongs to the consumer. Leaving the loop early
   * frees everything; a read that is never iterated holds no file.
   */
  get(key: string, options?: ReadOptions): Promise<ObjectRead>;

  /**
   * The first bytes under the key, however damaged the rest is; fewer if there are no more. Unverified. Rejects with
   * NOT_FOUND if there is nothing.
   */
  readStart(key: string, bytes: number, signal?: AbortSignal): Promise<Uint8Array>;

  findHead(key: string): Promise<ObjectHead | null>;

  /** Reads and digests every byte as a reader would get it now. */
  digest(key: string, signal?: AbortSignal): Promise<{ readonly size: number; readonly sha256: string }>;

  /**
   * Copies `from` over `to` without passing the bytes through this process. Idempotent; durable when it resolves. With
   * an etag, fails with REPLACED and leaves `to` unchanged if `from` has another one.
   */
  copy(from: string, to: string, options?: { readonly etag?: string }): Promise<ObjectHead>;

  /** Durable when it resolves. An absent key is no error. */
  delete(key: string): Promise<void>;

  /**
   * Every complete object whose key starts with the prefix, in a stable order of the store's own. With `after` the walk
   * resumes behind that key. Objects added or deleted meanwhile may be missed.
   */
  list(prefix: string, options?: ListOptions): AsyncIterable<ListedObject>;

  /** A URL to store exactly `size` bytes under this key until it expires. */
  presignPut(
    key: string,
    options: { readonly size: number; readonly expiresInSeconds: number },
  ): Promise<PresignedRequest>;

  presignGet(key: string, options: { readonly expiresInSeconds: number }): Promise<PresignedRequest>;

  /** Probes every node now. Never rejects: unreachable nodes are counted. */
  probe(): Promise<StoreHealth>;

  /** Deletes leftovers of dead writers older than this and returns their number. Never deletes an object. */
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

/**
 * `kind` tells callers what to do; TIMEOUT, UNAVAILABLE and REPLACED are worth a retry. The message holds no secret and
 * no URL.
 */
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

/**
 * Keys are segments joined by single slashes: well-formed Unicode without control characters or backslashes, no empty,
 * `.` or `..` segment.
 */
export function parseObjectKey(key: string): string {
  const reject = (why: string): never => {
    throw new ObjectStoreError('INVALID_KEY', `object key ${JSON.stringify(key.slice(0, 200))} ${why}`);
  };
  if (key.length === 0) reject('is empty');
  if (!key.isWellFormed()) reject('is not well-formed Unicode');
  if (new TextEncoder().encode(key).length > maxKeyBytes) reject(`is longer than ${maxKeyBytes} bytes`);
  if (controlCharacters.test(key) || key.includes('\\')) reject('has a control character or a backslash in it');
  for (const segment of key.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') reject('has an empty, "." or ".." segment');
  }
  return key;
}

/** Resolves a range against the size; an empty range is allowed only inside the object. */
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
  new ObjectStoreError('ABORTED', 'the caller cancelled this transfer', signal?.reason);

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw toAborted(signal);
}
