// Reads of S3 objects: one GET, whose response is also the head. A read that fails resumes where it was, on another
// node if needed; the ETag ensures that it is the same object.
import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { ObjectStoreError, parseRange, type ReadOptions } from './object-store.ts';
import { isWorthRetrying, statusOf, toS3StoreError, withStoreErrors } from './s3-errors.ts';
import { findS3Head, type S3Bucket, type S3Head, toS3Head } from './s3-heads.ts';

const idleReadAttempts = 3;
/** The connection of a response that nobody reads is closed after this time; the read then asks again. */
const longestUnreadMs = 5000;

type Response = AsyncIterable<Uint8Array> & Pick<Readable, 'on' | 'destroy'>;

type OpenedRead = {
  readonly head: S3Head;
  readonly start: number;
  readonly end: number;
  readonly blocks: AsyncIterable<Uint8Array>;
};

export async function openS3Read(target: S3Bucket, key: string, options: ReadOptions): Promise<OpenedRead> {
  const first = await withStoreErrors(findFirst(target, key, options));
  const head = first?.head ?? (await getS3Head(target, key));
  const range = parseRange(head.size, options);
  const blocks = readBlocks(target, { key, head, ...range, signal: options.signal, first: first?.unread });
  return { head, ...range, blocks };
}

export async function getS3Head(target: S3Bucket, key: string): Promise<S3Head> {
  const head = await withStoreErrors(findS3Head(target, key));
  if (head === null) throw new ObjectStoreError('NOT_FOUND', 'no such object');
  return head;
}

type First = { readonly head: S3Head; readonly unread: UnreadResponse };

/** Null where no range of at least one byte is asked for, or the object has none there: the head then decides. */
async function findFirst(target: S3Bucket, key: string, options: ReadOptions): Promise<First | null> {
  const { start = 0, end, signal } = options;
  const isWhole = start === 0 && end === undefined;
  if (!Number.isSafeInteger(start) || start < 0 || (end !== undefined && !(end > start))) return null;
  const range = isWhole ? {} : { Range: `bytes=${start}-${end === undefined ? '' : end - 1}` };
  try {
    const answer = await sendGet(target, { Key: key, ...range }, signal);
    const unread = new UnreadResponse(answer.Body);
    const size = isWhole ? answer.ContentLength : toWholeSize(answer.ContentRange, start);
    if (size !== undefined && size > 0) return { head: toS3Head(size, answer), unread };
    unread.drop();
  } catch (error) {
    if (statusOf(error) !== 416) throw error;
  }
  return null;
}

const toWholeSize = (contentRange: string | undefined, start: number): number | undefined => {
  const [, first, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(contentRange ?? '') ?? [];
  return Number(first) === start ? Number(size) : undefined;
};

type GetInput = { readonly Key: string; readonly Range?: string; readonly IfMatch?: string };

async function sendGet({ endpoints, bucket }: S3Bucket, input: GetInput, signal: AbortSignal | undefined) {
  const options = signal === undefined ? {} : { abortSignal: signal };
  const get = new GetObjectCommand({ Bucket: bucket, ...input });
  const { Body, ...answer } = await endpoints.run(client => client.send(get, options), signal);
  return { ...answer, Body: Body as unknown as Response };
}

/** A response until it is read, for a limited time. */
class UnreadResponse {
  #response: Response | null;
  readonly #timer: NodeJS.Timeout;

  constructor(response: Response) {
    this.#response = response;
    response.on('error', () => undefined); // without a listener it would end the process
    this.#timer = setTimeout(() => this.drop(), longestUnreadMs).unref();
  }

  /** Once. */
  take(): Response | null {
    clearTimeout(this.#timer);
    const response = this.#response;
    this.#response = null;
    return response;
  }

  drop(): void {
    this.take()?.destroy();
  }
}

type Reading = {
  readonly key: string;
  readonly head: S3Head;
  readonly start: number;
  readonly end: number;
  readonly signal: AbortSignal | undefined;
  readonly first: UnreadResponse | undefined;
};

/** A store, or a proxy before it, that ignores the range sends other bytes: no damage of the object. */
function toRanged(
  { Body, ContentRange }: Awaited<ReturnType<typeof sendGet>>,
  start: number,
  isWhole: boolean,
): Response {
  if (isWhole || toWholeSize(ContentRange, start) !== undefined) return Body;
  Body.on('error', () => undefined).destroy();
  throw new ObjectStoreError(
    'FAILED',
    'the object storage answered another range than requested; check that a proxy before it passes on the header Range',
  );
}

async function* readBlocks(
  target: S3Bucket,
  { key, head, start, end, signal, first }: Reading,
): AsyncGenerator<Uint8Array, void, void> {
  let position = start;
  for (let attempt = 1; position < end; ) {
    try {
      const isWhole = position === 0 && end === head.size;
      const input = { Key: key, IfMatch: `"${head.etag}"`, Range: `bytes=${position}-${end - 1}` };
      const response = first?.take() ?? toRanged(await sendGet(target, input, signal), position, isWhole);
      for await (const block of response) {
        position += block.length;
        attempt = 1;
        yield block;
      }
      if (position < end) throw new ObjectStoreError('CORRUPT', 'the object storage ended a read too early');
    } catch (error) {
      if (signal?.aborted) throw new ObjectStoreError('ABORTED', 'the caller cancelled this transfer', error);
      if (statusOf(error) === 412)
        throw new ObjectStoreError('REPLACED', 'the object was replaced while it was read', error);
      if (!isWorthRetrying(error) || ++attempt > idleReadAttempts) throw toS3StoreError(error);
    }
  }
}
