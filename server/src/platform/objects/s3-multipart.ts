// Multipart uploads: parallel parts with a bounded number in memory; a failed upload is aborted. Handles quirks of real
// servers: Ceph 16 answers a completion without an ETag, and a repeated one may find the upload gone.
import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { PutCheck } from './checked-stream.ts';
import { type ObjectHead, ObjectStoreError, type PutOptions, type StoredObject } from './object-store.ts';
import { isUploadGone, isWorthRetrying } from './s3-errors.ts';
import { findS3Head, type S3Bucket, toEtag, toMetadata } from './s3-heads.ts';

export const maxParts = 10_000;

export type UploadTarget = S3Bucket & { readonly partBytes: number; readonly partsInFlight: number };

export class MultipartUpload {
  readonly #target: UploadTarget;
  readonly #key: string;
  readonly #options: PutOptions;
  readonly #writeId = randomUUID();
  readonly #stop = new AbortController();
  readonly #done: CompletedPart[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #uploadId = '';
  #failure: unknown;

  constructor(target: UploadTarget, key: string, options: PutOptions) {
    this.#target = target;
    this.#key = key;
    this.#options = options;
  }

  async store(first: Buffer, second: Buffer, rest: AsyncIterable<Buffer>, check: PutCheck): Promise<StoredObject> {
    this.#uploadId = await startMultipart(this.#target, this.#key, toMetadata(this.#writeId, this.#options.sha256));
    try {
      let number = 1;
      await this.#enqueue(number++, first);
      await this.#enqueue(number++, second);
      for await (const part of rest) await this.#enqueue(number++, part);
      await Promise.all(this.#inFlight);
      if (this.#failure !== undefined) throw this.#failure;
      const stored = check.finish();
      const etag = await completeMultipart(this.#target, this.#key, this.#uploadId, this.#done, {
        size: stored.size,
        writeId: this.#writeId,
      });
      return { ...stored, etag };
    } catch (error) {
      // Taken before the parts in flight are aborted, which makes them fail too.
      const reason = this.#failure ?? error;
      this.#stop.abort();
      await Promise.all(this.#inFlight);
      await abortMultipart(this.#target, this.#key, this.#uploadId);
      throw reason;
    }
  }

  async #enqueue(number: number, body: Buffer): Promise<void> {
    if (number > maxParts) throw new ObjectStoreError('FAILED', `the stream is longer than ${maxParts} parts`);
    while (this.#inFlight.size >= this.#target.partsInFlight) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure;
    const sending: Promise<void> = this.#send(number, body)
      .catch(error => {
        this.#failure ??= error;
        this.#stop.abort();
      })
      .finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
  }

  async #send(number: number, body: Buffer): Promise<void> {
    const { signal } = this.#options;
    const abortSignal = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    const part = { Bucket: this.#target.bucket, Key: this.#key, UploadId: this.#uploadId, PartNumber: number };
    const command = { ...part, Body: body, ContentLength: body.length };
    const answer = await this.#target.endpoints.run(
      client => client.send(new UploadPartCommand(command), { abortSignal }),
      abortSignal,
    );
    this.#done.push({ PartNumber: number, ETag: answer.ETag });
  }
}

async function startMultipart(target: S3Bucket, key: string, metadata: Record<string, string>): Promise<string> {
  const command = { Bucket: target.bucket, Key: key, Metadata: metadata };
  const { UploadId } = await target.endpoints.run(client => client.send(new CreateMultipartUploadCommand(command)));
  if (UploadId === undefined)
    throw new ObjectStoreError('FAILED', 'the object storage returned no id for a multipart upload');
  return UploadId;
}

/** Returns the ETag, which Ceph 16 leaves out of its response. */
async function completeMultipart(
  target: S3Bucket,
  key: string,
  uploadId: string,
  parts: readonly CompletedPart[],
  expected: { readonly size: number; readonly writeId: string },
): Promise<string> {
  const ordered = [...parts].sort((left, right) => (left.PartNumber ?? 0) - (right.PartNumber ?? 0));
  const command = { Bucket: target.bucket, Key: key, UploadId: uploadId, MultipartUpload: { Parts: ordered } };
  let answered = '';
  try {
    const answer = await target.endpoints.run(client => client.send(new CompleteMultipartUploadCommand(command)));
    answered = toEtag(answer.ETag);
  } catch (error) {
    // An earlier attempt may have completed it although its response was lost.
    if (!isUploadGone(error) && !isWorthRetrying(error)) throw error;
    const head = await findS3Head(target, key);
    if (head?.writeId !== expected.writeId) throw error;
  }
  const head = await findS3Head(target, key);
  if (head?.writeId === expected.writeId && head.size !== expected.size) {
    throw new ObjectStoreError(
      'CORRUPT',
      `the object storage assembled the parts to ${head.size} instead of ${expected.size} bytes`,
    );
  }
  return answered === '' ? (head?.etag ?? '') : answered;
}

/** Best effort: the sweep removes leftovers. */
async function abortMultipart(target: S3Bucket, key: string, uploadId: string): Promise<void> {
  const command = { Bucket: target.bucket, Key: key, UploadId: uploadId };
  await target.endpoints.run(client => client.send(new AbortMultipartUploadCommand(command))).catch(() => undefined);
}

export type CopySource = { readonly CopySource: string; readonly CopySourceIfMatch: string };

export async function copyInParts(
  target: S3Bucket,
  key: string,
  source: CopySource,
  head: ObjectHead,
  leastPartBytes: number,
): Promise<void> {
  const writeId = randomUUID();
  const uploadId = await startMultipart(target, key, toMetadata(writeId, head.sha256));
  try {
    const parts: CompletedPart[] = [];
    const partBytes = Math.max(leastPartBytes, Math.ceil(head.size / maxParts));
    for (let start = 0; start < head.size; start += partBytes) {
      const range = `bytes=${start}-${Math.min(start + partBytes, head.size) - 1}`;
      const part = {
        Bucket: target.bucket,
        Key: key,
        UploadId: uploadId,
        PartNumber: parts.length + 1,
        CopySourceRange: range,
      };
      const answer = await target.endpoints.run(client =>
        client.send(new UploadPartCopyCommand({ ...part, ...source })),
      );
      parts.push({ PartNumber: part.PartNumber, ETag: answer.CopyPartResult?.ETag });
    }
    await completeMultipart(target, key, uploadId, parts, { size: head.size, writeId });
  } catch (error) {
    await abortMultipart(target, key, uploadId);
    throw error;
  }
}

/** Aborts unfinished uploads started before this time and returns their number. */
export async function sweepMultipart(target: S3Bucket, before: number): Promise<number> {
  let removed = 0;
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
  while (marker !== undefined) {
    const page: { Bucket: string; KeyMarker?: string; UploadIdMarker?: string } = { Bucket: target.bucket, ...marker };
    const answer: ListMultipartUploadsCommandOutput = await target.endpoints.run(client =>
      client.send(new ListMultipartUploadsCommand(page)),
    );
    for (const { Key, UploadId, Initiated } of answer.Uploads ?? []) {
      if (Initiated === undefined || Initiated.getTime() > before) continue;
      const command = { Bucket: target.bucket, Key, UploadId };
      await target.endpoints
        .run(client => client.send(new AbortMultipartUploadCommand(command)))
        .catch(error => (isUploadGone(error) ? undefined : Promise.reject(error)));
      removed += 1;
    }
    marker = answer.IsTruncated ? toMarker(answer) : undefined;
  }
  return removed;
}

const toMarker = (answer: ListMultipartUploadsCommandOutput) => ({
  ...(answer.NextKeyMarker === undefined ? {} : { KeyMarker: answer.NextKeyMarker }),
  ...(answer.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: answer.NextUploadIdMarker }),
});
