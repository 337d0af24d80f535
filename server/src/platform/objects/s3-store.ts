// Object store on an S3-compatible cluster: bucket access, copies and presigned URLs. Import it only if S3 is configured, because the client library is large.
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { systemClock } from '../clock.ts';
import { checkedRead, PutCheck } from './checked-stream.ts';
import {
  type ByteSource,
  type CreateOptions,
  type ListedObject,
  type ListOptions,
  type ObjectHead,
  type ObjectRead,
  type ObjectStore,
  ObjectStoreError,
  type PresignedRequest,
  type PutOptions,
  parseObjectKey,
  type ReadOptions,
  type StoredObject,
  type StoreHealth,
  throwIfAborted,
} from './object-store.ts';
import { type S3Connection, S3Endpoints, toS3Client } from './s3-endpoints.ts';
import { statusOf, toS3StoreError, withStoreErrors } from './s3-errors.ts';
import { findS3Head, type S3Head } from './s3-heads.ts';
import { type CopySource, copyInParts, sweepMultipart, type UploadTarget } from './s3-multipart.ts';
import { getS3Head, openS3Read } from './s3-reads.ts';
import { createObject, putObject } from './s3-upload.ts';

export type S3StoreOptions = S3Connection & {
  /** Endpoint of clients in presigned URLs; default: the first one that answers. */
  readonly publicEndpoint?: string;
  /** At least 5 MiB, the minimum of S3 for every part but the last. */
  readonly partBytes?: number;
  readonly partsInFlight?: number;
  /** Larger objects are copied in parts of this size; S3 copies at most 5 GiB at once. */
  readonly copyPartBytes?: number;
  /** Capacity and current use, if known. */
  readonly capacity?: { readonly bytes: number; usedBytes(): Promise<number> };
  readonly now?: () => number;
};

const mebibyte = 1024 * 1024;
const longestExpirySeconds = 7 * 24 * 60 * 60;

/** Rejects if no endpoint serves the bucket. */
export async function openS3Store(options: S3StoreOptions): Promise<ObjectStore> {
  if ((options.partBytes ?? Number.MAX_VALUE) < 5 * mebibyte)
    throw new ObjectStoreError('FAILED', `the part size is ${options.partBytes} bytes, below the S3 minimum of 5 MiB`);
  const store = new S3Store(options);
  try {
    await store.endpoints.requireBucket();
    return store;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

const withoutWriteId = ({ writeId: _, ...head }: S3Head): ObjectHead => head;

class S3Store implements ObjectStore {
  readonly backend = 'S3';
  readonly endpoints: S3Endpoints;
  readonly #target: UploadTarget;
  readonly #bucket: string;
  /** Null if clients use the servers' endpoints. */
  readonly #publicClient: S3Client | null;
  readonly #copyPartBytes: number;
  readonly #capacity: S3StoreOptions['capacity'];
  readonly #now: () => number;

  constructor(options: S3StoreOptions) {
    this.endpoints = new S3Endpoints(options);
    this.#bucket = options.bucket;
    this.#target = {
      endpoints: this.endpoints,
      bucket: options.bucket,
      partBytes: options.partBytes ?? 8 * mebibyte,
      partsInFlight: options.partsInFlight ?? 3,
    };
    this.#publicClient = options.publicEndpoint === undefined ? null : toS3Client(options, options.publicEndpoint);
    this.#copyPartBytes = options.copyPartBytes ?? 256 * mebibyte;
    this.#capacity = options.capacity;
    this.#now = options.now ?? systemClock.now;
  }

  async put(key: string, source: ByteSource, options: PutOptions = {}): Promise<StoredObject> {
    throwIfAborted(options.signal);
    return withStoreErrors(putObject(this.#target, parseObjectKey(key), source, options));
  }

  async create(key: string, source: ByteSource, options: CreateOptions): Promise<StoredObject> {
    throwIfAborted(options.signal);
    return withStoreErrors(createObject(this.#target, parseObjectKey(key), source, options));
  }

  async get(key: string, options: ReadOptions = {}): Promise<ObjectRead> {
    throwIfAborted(options.signal);
    const { head, start, end, blocks } = await openS3Read(this.#target, parseObjectKey(key), options);
    const body = checkedRead(blocks, { length: end - start, sha256: options.sha256 });
    return { ...withoutWriteId(head), start, end, body };
  }

  async readStart(key: string, bytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    const { body } = await this.get(key, { end: bytes, ...(signal && { signal }) });
    return Buffer.concat(await Array.fromAsync(body));
  }

  async findHead(key: string): Promise<ObjectHead | null> {
    const head = await withStoreErrors(findS3Head(this.#target, parseObjectKey(key)));
    if (head !== null) return withoutWriteId(head);
    await this.endpoints.requireBucket(); // a HEAD also gives 404 for a missing bucket
    return null;
  }

  async digest(key: string, signal?: AbortSignal): Promise<{ size: number; sha256: string }> {
    const read = await this.get(key, signal === undefined ? {} : { signal });
    const check = new PutCheck({ size: read.size });
    for await (const block of read.body) check.update(block);
    return check.finish();
  }

  async copy(from: string, to: string, options: { readonly etag?: string } = {}): Promise<ObjectHead> {
    const head = await getS3Head(this.#target, parseObjectKey(from));
    if (options.etag !== undefined && options.etag !== head.etag)
      throw new ObjectStoreError('REPLACED', 'the object was replaced before it was copied');
    parseObjectKey(to);
    // S3 rejects a copy onto itself.
    if (from === to) return withoutWriteId(head);
    const path = [this.#bucket, ...from.split('/')].map(encodeURIComponent).join('/');
    await this.#copyFrom({ CopySource: path, CopySourceIfMatch: `"${head.etag}"` }, head, to).catch(error => {
      if (statusOf(error) !== 412) throw toS3StoreError(error);
      throw new ObjectStoreError('REPLACED', 'the object was replaced while it was copied', error);
    });
    const copied = await getS3Head(this.#target, to);
    if (copied.size !== head.size)
      throw new ObjectStoreError('CORRUPT', `the object storage copied ${copied.size} of ${head.size} bytes`);
    return withoutWriteId(copied);
  }

  async #copyFrom(source: CopySource, head: ObjectHead, to: string): Promise<void> {
    if (head.size > this.#copyPartBytes) return copyInParts(this.#target, to, source, head, this.#copyPartBytes);
    await this.endpoints.run(client =>
      client.send(new CopyObjectCommand({ Bucket: this.#bucket, Key: to, ...source })),
    );
  }

  async delete(key: string): Promise<void> {
    const command = { Bucket: this.#bucket, Key: parseObjectKey(key) };
    await withStoreErrors(this.endpoints.run(client => client.send(new DeleteObjectCommand(command))));
  }

  async *list(prefix: string, { after }: ListOptions = {}): AsyncGenerator<ListedObject, void, void> {
    let token: string | undefined;
    do {
      const page = {
        Bucket: this.#bucket,
        Prefix: prefix,
        ...(after === undefined ? {} : { StartAfter: after }),
        ...(token === undefined ? {} : { ContinuationToken: token }),
      };
      const answer: ListObjectsV2CommandOutput = await withStoreErrors(
        this.endpoints.run(client => client.send(new ListObjectsV2Command(page))),
      );
      for (const entry of answer.Contents ?? []) {
        if (entry.Key !== undefined)
          yield { key: entry.Key, size: entry.Size ?? 0, modifiedAt: entry.LastModified ?? new Date(0) };
      }
      token = answer.IsTruncated ? answer.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async presignPut(key: string, options: { size: number; expiresInSeconds: number }): Promise<PresignedRequest> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: parseObjectKey(key),
      ContentLength: options.size,
    });
    return this.#presign('PUT', command, options.expiresInSeconds, { 'content-length': String(options.size) });
  }

  async presignGet(key: string, options: { expiresInSeconds: number }): Promise<PresignedRequest> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: parseObjectKey(key) });
    return this.#presign('GET', command, options.expiresInSeconds, {});
  }

  async #presign(
    method: 'PUT' | 'GET',
    command: PutObjectCommand | GetObjectCommand,
    expiresIn: number,
    headers: Record<string, string>,
  ): Promise<PresignedRequest> {
    if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > longestExpirySeconds) {
      throw new ObjectStoreError(
        'FAILED',
        `a signed S3 URL must be valid for 1 to ${longestExpirySeconds} s, not ${expiresIn}`,
      );
    }
    const nowSeconds = Math.floor(this.#now() / 1000);
    const signing = { expiresIn, signingDate: new Date(nowSeconds * 1000) };
    const url = await withStoreErrors(
      getSignedUrl(this.#publicClient ?? this.endpoints.reachable, command as PutObjectCommand, signing),
    );
    return { method, url, headers, expiresAtEpochSeconds: nowSeconds + expiresIn };
  }

  async probe(): Promise<StoreHealth> {
    const nodes = await this.endpoints.probe();
    const used = await this.#capacity?.usedBytes().catch(() => undefined);
    const isMeasured = this.#capacity !== undefined && used !== undefined;
    const usage = isMeasured ? { usagePercent: Math.min(100, (100 * used) / this.#capacity.bytes) } : {};
    return {
      healthyNodes: nodes.filter(node => node.online).length,
      totalNodes: nodes.length,
      ...usage,
      nodes: nodes.map(node => ({ ...node, ...usage })),
    };
  }

  async sweepLeftovers(olderThanSeconds: number): Promise<number> {
    return withStoreErrors(sweepMultipart(this.#target, this.#now() - olderThanSeconds * 1000));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.endpoints[Symbol.dispose]();
    this.#publicClient?.destroy();
  }
}
