// Ports of the transfer engine: source, sink, journal, and two HTTP operations. The engine itself is pure;
// shared/src/node implements them for Node, browsers and tests have their own.
import type { Client } from '../api/client.ts';
import type { NameConflict } from '../api/uploads.ts';

/** The digest of a range as `sha256:<hex>`, computed off the caller's thread if possible. */
export type RangeDigest = (start: number, end: number, signal?: AbortSignal) => Promise<string>;

/** A file that is read several times and must not change after it was opened. */
export type Source = AsyncDisposable & {
  /** Identifies the file on this machine. */
  readonly path: string;
  readonly name: string;
  readonly size: number;
  /** Changes whenever the file is written or replaced, as far as the system can detect. */
  readonly revision: string;
  /** A block belongs to the consumer only until it requests the next one. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** The same without reading, if the system can send it so. */
  slice?(start: number, end: number): Blob;
  readonly digest: RangeDigest;
  /** Throws TransferError `source-changed` if the file is no longer the opened one. */
  assertUnchanged(): Promise<void>;
};

/** The target of a download: invisible under its final name until `commit` resolves. */
export type Sink = AsyncDisposable & {
  /** Unverified bytes left by an earlier run. */
  readonly leftover: number;
  /** Its size in bytes: the leftover at first, then what was kept and written. */
  readonly size: number;
  /** Appends the block, which then belongs to the sink and may be emptied. */
  write(block: Uint8Array): Promise<void>;
  /** When this resolves, everything written so far can be read by `digest`. */
  flush(): Promise<void>;
  /** Drops everything from `size` on; the next write continues there. */
  truncate(size: number): Promise<void>;
  readonly digest: RangeDigest;
  /** An incremental SHA-256 over the sink's own bytes, from the first one on. */
  openDigest(): SinkDigest;
  /** Durable and under its final name when it resolves; throws if the file exists, unless replacing was allowed. */
  commit(): Promise<void>;
  /** Deletes what was written. */
  discard(): Promise<void>;
};

export type SinkDigest = {
  /** Continues to `end`. Calls must not overlap. */
  extend(end: number): Promise<void>;
  /** `sha256:<hex>` of everything so far. */
  finish(): Promise<string>;
};

export type UploadPlan = {
  readonly mode: 'direct' | 'proxied';
  readonly clientId: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly fileSize: number;
  readonly revision: string;
  readonly chunkSize: number;
  readonly totalChunks: number;
  readonly targetFileId?: string;
  /** The folder on the server. */
  readonly folder?: string;
  /** What happens where the folder has a file of this name; decided when the upload begins. */
  readonly onConflict?: NameConflict;
  /** Of the whole file, when it was known before. */
  readonly contentHash?: string;
};

export type JournalEntry = {
  readonly plan: UploadPlan;
  /** Digests of the chunks, as far as known. */
  readonly hashes: ReadonlyMap<number, string>;
  /** ETags of chunks stored by the object store. */
  readonly eTags: ReadonlyMap<number, string>;
};

/**
 * The state of one unfinished upload, kept across crashes. Held by one run at a time. `begin` and `remove` are durable
 * when they resolve; other changes may be lost in a power failure, which only costs repeated work.
 */
export type Journal = AsyncDisposable & {
  find(): JournalEntry | undefined;
  /** Starts over with this plan; still valid digests are passed in. */
  begin(plan: UploadPlan, hashes: ReadonlyMap<number, string>): void;
  addHash(index: number, hash: string): void;
  addETag(index: number, eTag: string): void;
  remove(): void;
};

export type HttpAnswer = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array<ArrayBuffer> };

export type SendRequest = {
  readonly method: 'PUT' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number;
  readonly body: AsyncIterable<Uint8Array>;
  /** The body as a whole, which may be sent instead; `onSent` then reports sent bytes. */
  readonly slice?: { readonly blob: Blob; readonly onSent: (bytes: number) => void };
  readonly signal: AbortSignal;
  /** The maximum number of bytes read of an answer; default 64 KiB. */
  readonly mostAnswerBytes?: number;
};

type GetRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/**
 * HTTP for bulk bytes, in addition to the typed client, which supports neither streams nor Range. Follows no redirects,
 * closes a stalled connection, rejects with HttpBroken without a complete answer.
 */
export type Http = {
  /** `body` of an answer is bounded. An error of the request's body is passed on unchanged. */
  send(request: SendRequest): Promise<HttpAnswer>;
  /** `blocks` rejects if the connection ends early. A block belongs to the consumer. Leaving the loop closes it. */
  get(request: GetRequest): Promise<HttpAnswer & { readonly blocks: AsyncIterable<Uint8Array> }>;
};

/** The connection broke or stalled: the outcome of the request is unknown. */
export class HttpBroken extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HttpBroken';
  }
}

/** For errors: without the path and query, in which a signature may be. */
export const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? 'the server';

/** A server of this contract: typed calls, and what other requests need. */
export type Server = {
  readonly client: Client;
  readonly baseUrl: string;
  /** Called before every request, so that a renewed token is used at once. */
  token(): Promise<string | undefined>;
};

export type Clock = {
  /** Monotonic milliseconds. */
  now(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1, for jitter of retries. */
  random(): number;
};

export const systemClock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
