// Direct uploads to the object store. Three kinds of loops run concurrently: chunks are hashed, announced with their
// hashes, and sent to the presigned URLs. A part is announced before it is sent.
import { completeDirectUpload, startDirectUpload } from '../api/direct-uploads.ts';
import type { UploadResult } from '../api/uploads.ts';
import { runTaskGroup, type TaskGroup } from './task-group.ts';
import { TransferError } from './transfer-error.ts';
import {
  callWithRetry,
  completeWithRetry,
  inParallel,
  lengthOf,
  type SignedPart,
  sendDirectPart,
  toStartBody,
  type UploadAttempt,
} from './upload-attempt.ts';

/** Announcing has a low rate limit per minute, so it is done rarely. */
const firstBatchBytes = 64 * 1024 * 1024;
const batchesPerFile = 6;
/** Hashing stays at most this far ahead of sending, so that the second read is served from the file cache. */
const maxLeadBytes = 1024 * 1024 * 1024;
const maxRejections = 4;

type Line = {
  readonly attempt: UploadAttempt;
  nextToHash: number;
  hashedBytes: number;
  movedBytes: number;
  /** Hashed, but not announced, or announced too long ago. */
  readonly unannounced: number[];
  announcedBytes: number;
  /** URLs have expired: announce without waiting for a full batch. */
  isUrgent: boolean;
  readonly ready: SignedPart[];
  readonly rejections: Map<number, number>;
  readonly stored: Set<number>;
};

const isFinished = (line: Line): boolean => line.stored.size === line.attempt.plan.totalChunks;
const bytesOf = (line: Line, indexes: readonly number[]): number =>
  indexes.reduce((sum, index) => sum + lengthOf(line.attempt.plan, index), 0);

function openLine(attempt: UploadAttempt): Line {
  const hashedChunks = [...attempt.hashes.keys()].sort((a, b) => a - b);
  const line: Line = {
    attempt,
    nextToHash: 0,
    hashedBytes: 0,
    movedBytes: 0,
    unannounced: hashedChunks,
    announcedBytes: 0,
    isUrgent: hashedChunks.length > 0,
    ready: [],
    rejections: new Map(),
    stored: new Set(),
  };
  line.hashedBytes = bytesOf(line, hashedChunks);
  attempt.meter.hashed(line.hashedBytes);
  return line;
}

async function hashChunks(line: Line, group: TaskGroup): Promise<void> {
  const { source, plan, hashes, journal, meter } = line.attempt;
  for (;;) {
    await group.until(() => line.nextToHash >= plan.totalChunks || line.hashedBytes - line.movedBytes < maxLeadBytes);
    const index = line.nextToHash;
    if (index >= plan.totalChunks) return;
    line.nextToHash += 1;
    if (hashes.has(index)) continue;
    const size = lengthOf(plan, index);
    const hash = await source.digest(index * plan.chunkSize, index * plan.chunkSize + size, group.signal);
    await source.assertUnchanged();
    hashes.set(index, hash);
    journal.addHash(index, hash);
    line.unannounced.push(index);
    line.hashedBytes += size;
    meter.hashed(size);
    group.wake();
  }
}

function shouldAnnounce(line: Line): boolean {
  const { plan, hashes, jobs } = line.attempt;
  if (line.unannounced.length === 0) return false;
  if (line.isUrgent || hashes.size === plan.totalChunks) return true;
  if (line.ready.length >= jobs) return false;
  const share = Math.max(firstBatchBytes, plan.fileSize / batchesPerFile);
  const batch = Math.min(share, Math.max(firstBatchBytes, line.announcedBytes), maxLeadBytes / 2);
  return bytesOf(line, line.unannounced) >= batch;
}

async function announceChunks(line: Line, group: TaskGroup): Promise<void> {
  for (;;) {
    await group.until(() => isFinished(line) || shouldAnnounce(line));
    if (isFinished(line)) return;
    line.isUrgent = false;
    const indexes = line.unannounced.splice(0).sort((a, b) => a - b);
    line.announcedBytes += bytesOf(line, indexes);
    await announce(line, group, indexes);
    group.wake();
  }
}

async function announce(line: Line, group: TaskGroup, indexes: readonly number[]): Promise<void> {
  const { attempt } = line;
  const { plan } = attempt;
  const started = await callWithRetry(attempt, group.signal, startDirectUpload, {
    body: { ...toStartBody(attempt), parts: indexes.map(index => toPart(attempt, index)) },
  });
  const signed = new Map(started.parts.map(part => [part.index, part]));
  for (const index of indexes) {
    const part = signed.get(index);
    if (!part || part.size !== lengthOf(plan, index))
      throw new TransferError('wrong-answer', `the server did not sign part ${index} with its announced size`);
    // A stored part whose ETag was lost in a crash is sent again, because the completion needs it.
    if (part.uploaded && (attempt.eTags.has(index) || part.uploadUrl === '')) markStored(line, index);
    else line.ready.push(part);
  }
}

function toPart(attempt: UploadAttempt, index: number) {
  const hash = attempt.hashes.get(index);
  if (hash === undefined) throw new Error(`part ${index} was announced before it was hashed`);
  return {
    index,
    size: lengthOf(attempt.plan, index),
    plainHash: hash,
    cipherHash: hash,
    checksumAlgorithm: 'SHA-256' as const,
  };
}

function markStored(line: Line, index: number): void {
  const size = lengthOf(line.attempt.plan, index);
  line.stored.add(index);
  line.movedBytes += size;
  line.attempt.meter.skipped(size);
}

async function sendParts(line: Line, group: TaskGroup): Promise<void> {
  const { attempt } = line;
  for (;;) {
    await group.until(() => isFinished(line) || line.ready.length > 0);
    const part = line.ready.shift();
    if (!part) return;
    attempt.meter.enter('sending');
    const eTag = await sendDirectPart(attempt, part, group.signal);
    if (eTag === 'refused') signAnew(line, part);
    else {
      attempt.eTags.set(part.index, eTag);
      attempt.journal.addETag(part.index, eTag);
      line.stored.add(part.index);
      line.movedBytes += lengthOf(attempt.plan, part.index);
    }
    group.wake();
  }
}

/** If one URL is rejected, those presigned with it have expired too. */
function signAnew(line: Line, part: SignedPart): void {
  const rejections = (line.rejections.get(part.index) ?? 0) + 1;
  line.rejections.set(part.index, rejections);
  if (rejections > maxRejections)
    throw new TransferError('part-refused', `the object store rejects newly signed URLs of part ${part.index}`);
  for (const { index } of [part, ...line.ready.splice(0)]) line.unannounced.push(index);
  line.isUrgent = true;
  line.attempt.meter.retried();
}

export function completeDirect(attempt: UploadAttempt): Promise<UploadResult> {
  const { clientId, totalChunks } = attempt.plan;
  const parts = Array.from({ length: totalChunks }, (_none, index) => ({
    index,
    eTag: attempt.eTags.get(index) ?? '',
  }));
  return completeWithRetry(attempt, signal =>
    callWithRetry(attempt, signal, completeDirectUpload, { params: { clientId }, body: { parts } }),
  );
}

export async function uploadDirect(attempt: UploadAttempt): Promise<UploadResult> {
  const line = openLine(attempt);
  await runTaskGroup(attempt.signal, group => [
    ...inParallel(attempt.hashJobs, () => hashChunks(line, group)),
    () => announceChunks(line, group),
    ...inParallel(attempt.jobs, () => sendParts(line, group)),
  ]);
  await attempt.source.assertUnchanged();
  attempt.meter.enter('finishing');
  return completeDirect(attempt);
}
