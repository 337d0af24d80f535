// What the transfer engine needs from the world: bytes to read, a place to write, a notebook, and two HTTP verbs.
// The engine itself is pure; shared/src/node has these for Node, a browser or a test may bring its own.
import type { Client } from '../api/client.ts';

/** A range of bytes as `sha256:<hex>`, computed away from the caller's thread where that is possible. */
export type RangeDigest = (start: number, end: number, signal?: AbortSignal) => Promise<string>;

/** A file that is read more than once and must stay as it was when it was opened. */
export type Source = AsyncDisposable & {
  /** Names the file among all files of this machine. */
  readonly path: string;
  readonly name: string;
  readonly size: number;
  /** Changes whenever the file is written or replaced, as far as the system can tell. */
  readonly revision: string;
  /** A block belongs to the consumer only until it asks for the next one. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** The same without reading it, where the system can send it so. */
  slice?(start: number, end: number): Blob;
  readonly digest: RangeDigest;
  /** Throws TransferError `source-changed` when the file is not what was opened any more. */
  assertUnchanged(): Promise<void>;
};

/** Where a download grows until it is proven: not visible under its final name before `commit` resolves. */
export type Sink = AsyncDisposable & {
  /** Bytes that an earlier run left behind. Nothing is known about them. */
  readonly leftover: number;
  /** How many bytes it holds: the leftover at first, then what was kept and written. */
  readonly size: number;
  /** Takes the bytes that follow those before. The block belongs to the sink, which may empty it. */
  write(block: Uint8Array): Promise<void>;
  /** Everything taken so far can be read back by `digest` when this resolves. */
  flush(): Promise<void>;
  /** Forgets all from `size` on; the next write goes there. */
  truncate(size: number): Promise<void>;
  readonly digest: RangeDigest;
  /** An incremental SHA-256 over the sink's own bytes from the first one on. */
  openDigest(): SinkDigest;
  /** Durable and under its final name when it resolves; refuses to replace a file unless that was allowed. */
  commit(): Promise<void>;
  /** Throws away what was written. */
  discard(): Promise<void>;
};

export type SinkDigest = {
  /** Goes on to `end`. Calls do not overlap. */
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
  /** The folder that the file is said to come from. */
  readonly folder?: string;
  /** Of the whole file, when it was known before. */
  readonly contentHash?: string;
};

export type JournalEntry = {
  readonly plan: UploadPlan;
  /** Digests of the chunks, as far as they are known. */
  readonly hashes: ReadonlyMap<number, string>;
  /** ETags of the chunks that the store has taken. */
  readonly eTags: ReadonlyMap<number, string>;
};

/**
 * What is known about one unfinished upload, kept through crashes. Held by one run at a time. `begin` and `remove` are
 * durable when they resolve; the rest may be lost with the power, which costs work and nothing else.
 */
export type Journal = AsyncDisposable & {
  find(): JournalEntry | undefined;
  /** Starts over with this plan; digests that are still true are handed in again. */
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
  /** The body as a whole, which may be sent instead; then `onSent` is told of bytes that have left. */
  readonly slice?: { readonly blob: Blob; readonly onSent: (bytes: number) => void };
  readonly signal: AbortSignal;
  /** Nothing of an answer behind so many bytes is read; 64 KiB when left out. */
  readonly mostAnswerBytes?: number;
};

type GetRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/**
 * Bulk bytes, past the typed client: it can send neither streams nor a Range. Follows no redirect, gives up on a
 * connection that stands still, rejects with HttpBroken when there is no whole answer.
 */
export type Http = {
  /** `body` of an answer is bounded. An error of the request's body is passed on as it is. */
  send(request: SendRequest): Promise<HttpAnswer>;
  /** `blocks` rejects when the connection ends early. A block belongs to the consumer. Leaving the loop frees it. */
  get(request: GetRequest): Promise<HttpAnswer & { readonly blocks: AsyncIterable<Uint8Array> }>;
};

/** The connection broke or stood still: nobody knows whether the request was carried out. */
export class HttpBroken extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HttpBroken';
  }
}

/** The server of this contract: typed calls, and what it takes to address it past them. */
export type Server = {
  readonly client: Client;
  readonly baseUrl: string;
  /** Asked before every request, so that a refreshed token is used at once. */
  token(): Promise<string | undefined>;
};

export type Clock = {
  /** Milliseconds that never go backwards. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1, to spread retries. */
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
