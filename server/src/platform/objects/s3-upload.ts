// Upload of a stream to S3: one PUT if it fits into one part, otherwise a multipart upload with a bounded number of
// parts in memory. Every object carries the id of its write, which tells whether a write without a response took
// effect.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { incoming, PutCheck } from './checked-stream.ts';
import {
  type ByteSource,
  type CreateOptions,
  ObjectStoreError,
  type PutOptions,
  type StoredObject,
} from './object-store.ts';
import { isWorthRetrying, statusOf } from './s3-errors.ts';
import { findS3Head, toEtag, toMetadata } from './s3-heads.ts';
import { MultipartUpload, maxParts, type UploadTarget } from './s3-multipart.ts';

const largestGrownPart = 128 * 1024 * 1024;

/** Splits a stream into buffers of the next part's size; the last may be shorter, and empty if it is the only one. */
async function* toParts(
  source: AsyncIterable<Uint8Array>,
  check: PutCheck,
  bytesOfPart: (index: number) => number,
): AsyncGenerator<Buffer, void, void> {
  let blocks: Uint8Array[] = [];
  let bytes = 0;
  let index = 0;
  for await (let block of source) {
    check.update(block);
    while (bytes + block.length > bytesOfPart(index)) {
      const room = bytesOfPart(index) - bytes;
      yield Buffer.concat([...blocks, block.subarray(0, room)]);
      index += 1;
      block = block.subarray(room);
      blocks = [];
      bytes = 0;
    }
    blocks.push(block);
    bytes += block.length;
  }
  if (bytes > 0 || index === 0) yield Buffer.concat(blocks);
}

/** Without a known length it grows with the part number, so that ten thousand parts suffice. */
function toPartSize(partBytes: number, size: number | undefined): (index: number) => number {
  if (size === undefined)
    return index => Math.max(partBytes, Math.min(largestGrownPart, partBytes * 2 ** Math.floor(index / 1000)));
  const fixed = Math.max(partBytes, Math.ceil(size / maxParts));
  return () => fixed;
}

export async function putObject(
  target: UploadTarget,
  key: string,
  source: ByteSource,
  options: PutOptions,
): Promise<StoredObject> {
  const check = new PutCheck(options);
  const parts = toParts(incoming(source, options.signal), check, toPartSize(target.partBytes, options.size));
  try {
    const first = await parts.next();
    const second = first.done ? first : await parts.next();
    if (first.done) throw new ObjectStoreError('FAILED', 'internal: the stream to upload has no parts');
    if (second.done) return await putWhole(target, key, first.value, check, options.signal);
    return await new MultipartUpload(target, key, options).store(first.value, second.value, parts, check);
  } finally {
    await parts.return();
  }
}

async function putWhole(
  target: UploadTarget,
  key: string,
  body: Buffer,
  check: PutCheck,
  signal?: AbortSignal,
): Promise<StoredObject> {
  const stored = check.finish();
  const command = {
    Bucket: target.bucket,
    Key: key,
    Body: body,
    ContentLength: body.length,
    Metadata: { sha256: stored.sha256 },
  };
  return sendWhole(target, command, stored, signal);
}

async function sendWhole(
  target: UploadTarget,
  command: PutObjectCommandInput,
  stored: Omit<StoredObject, 'etag'>,
  signal: AbortSignal | undefined,
): Promise<StoredObject> {
  const options = signal === undefined ? {} : { abortSignal: signal };
  const answer = await target.endpoints.run(client => client.send(new PutObjectCommand(command), options), signal);
  return { ...stored, etag: toEtag(answer.ETag) };
}

/** One conditional PUT, because servers ignore the condition of a multipart completion. */
export async function createObject(
  target: UploadTarget,
  key: string,
  source: ByteSource,
  options: CreateOptions,
): Promise<StoredObject> {
  const exists = () => new ObjectStoreError('EXISTS', 'this object already exists');
  const check = new PutCheck(options);
  if ((await findS3Head(target, key)) !== null) throw exists();
  const writeId = randomUUID();
  const metadata = toMetadata(writeId, options.sha256);
  const base = { Bucket: target.bucket, Key: key, IfNoneMatch: '*', ContentLength: options.size, Metadata: metadata };
  const blocks = incoming(source, options.signal);
  try {
    const send = options.size <= target.partBytes ? sendBuffered : sendStreamed;
    return await send(target, base, blocks, check, options.signal);
  } catch (error) {
    // A rejection may be due to our own write whose response was lost; a broken connection may have been a rejection.
    if (statusOf(error) !== 412 && statusOf(error) !== 409 && !isWorthRetrying(error)) throw error;
    const head = await findS3Head(target, key);
    if (head === null || head.size !== options.size) throw head === null ? error : exists();
    if (head.writeId !== writeId) throw exists();
    return { ...check.finish(), etag: head.etag };
  }
}

type Sending = (
  target: UploadTarget,
  base: PutObjectCommandInput,
  blocks: AsyncIterable<Uint8Array>,
  check: PutCheck,
  signal: AbortSignal | undefined,
) => Promise<StoredObject>;

const sendBuffered: Sending = async (target, base, blocks, check, signal) => {
  const received: Uint8Array[] = [];
  for await (const block of blocks) {
    check.update(block);
    received.push(block);
  }
  const stored = check.finish();
  const command = { ...base, Body: Buffer.concat(received), Metadata: { ...base.Metadata, sha256: stored.sha256 } };
  return sendWhole(target, command, stored, signal);
};

const sendStreamed: Sending = async (target, base, blocks, check, signal) => {
  const failed = new AbortController();
  let failure: unknown;
  const held = holdBackLast(blocks, check, error => {
    failure = error;
    failed.abort();
  });
  const body = Readable.from(held, { objectMode: false });
  // Reported by onFailure; without a listener it would end the process.
  body.on('error', () => undefined);
  const abortSignal = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  try {
    const answer = await target.endpoints.runOnce(client =>
      client.send(new PutObjectCommand({ ...base, Body: body }), { abortSignal }),
    );
    return { ...check.finish(), etag: toEtag(answer.ETag) };
  } catch (error) {
    throw failure ?? error;
  } finally {
    body.destroy();
  }
};

/**
 * Holds the last block back until the length and digest are verified. `onFailure` is needed because the client waits
 * forever for a body that breaks.
 */
async function* holdBackLast(
  blocks: AsyncIterable<Uint8Array>,
  check: PutCheck,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    let held: Uint8Array | undefined;
    for await (const block of blocks) {
      if (block.length === 0) continue;
      check.update(block);
      if (held !== undefined) yield held;
      held = block;
    }
    check.finish();
    if (held !== undefined) yield held;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}
